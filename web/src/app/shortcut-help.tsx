import { Dialog } from "../ui/dialog.tsx";
import { MOD } from "./modifier.ts";
import { useAllShortcuts } from "./shortcuts.tsx";

/** Which keys do something here and now. */
export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const shortcuts = useAllShortcuts();
  return (
    <Dialog open={open} onClose={onClose} title="Keys" about="They work while no field has the focus.">
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-2">
        {shortcuts.map(({ key, about }) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="bg-raised border-line rounded border px-1.5 py-0.5 font-mono text-xs">
                {key.replace("mod+k", `${MOD}K`)}
              </kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
