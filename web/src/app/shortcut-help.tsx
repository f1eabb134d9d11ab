import { Dialog } from "../ui/dialog.tsx";
import { MOD } from "./modifier.ts";
import { type Shortcut, useAllShortcuts } from "./shortcuts.tsx";

/** Which keys do something here and now. */
export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const shortcuts = useAllShortcuts();
  const isWay = ({ key }: Shortcut) => key.startsWith("g ");
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard" about="While no field has the focus." wide>
      <div className="grid gap-6 sm:grid-cols-2">
        <Keys title="On this page" shortcuts={shortcuts.filter((each) => !isWay(each))} />
        <Keys title="One after the other" shortcuts={shortcuts.filter(isWay)} />
      </div>
    </Dialog>
  );
}

function Keys({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3 className="text-muted mb-2 text-xs font-medium">{title}</h3>
      <dl className="grid grid-cols-[max-content_1fr] items-baseline gap-x-4 gap-y-2">
        {shortcuts.map(({ key, about }) => (
          <div key={key} className="contents">
            <dt className="flex gap-1">
              {key.split(" ").map((each) => (
                <kbd key={each} className="bg-raised border-line rounded border px-1.5 py-0.5 font-mono text-xs">
                  {each.replace("mod+k", `${MOD}K`)}
                </kbd>
              ))}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
