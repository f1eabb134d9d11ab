import { Pause, Play, RotateCcw, Trash2, X } from "lucide-react";
import { useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import type { BulkAction } from "./bulk-choice.ts";

/** What can be done with the chosen jobs. It lies over the end of the page, so that no row moves when it comes. */
export function BulkBar({
  said,
  chooseAll,
  onAct,
  onClear,
}: {
  /** How many are chosen, in words. */
  said: string;
  /** The way from the rows that are loaded to all that match, if those are more. */
  chooseAll: { text: string; act: () => void } | null;
  onAct: (action: BulkAction) => void;
  onClear: () => void;
}) {
  const mayWrite = useMay("write");
  useShortcuts([{ key: "Escape", about: "Choose none", act: onClear }]);
  return (
    <section
      aria-label="Chosen jobs"
      className="bg-surface border-line-strong fixed bottom-4 left-1/2 z-20 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-wrap items-center justify-center gap-2 rounded-lg border p-2 shadow-xl lg:left-[calc(50%+6.5rem)]"
    >
      <span role="status" className="px-1 font-medium">
        {said}
      </span>
      {chooseAll && (
        <button
          type="button"
          className="text-accent font-medium underline-offset-2 hover:underline"
          onClick={chooseAll.act}
        >
          {chooseAll.text}
        </button>
      )}
      <Button size="small" icon={<Play aria-hidden className="size-3.5" />} onClick={() => onAct("trigger")}>
        Run
      </Button>
      <Button size="small" icon={<Pause aria-hidden className="size-3.5" />} onClick={() => onAct("pause")}>
        Pause
      </Button>
      <Button size="small" icon={<RotateCcw aria-hidden className="size-3.5" />} onClick={() => onAct("resume")}>
        Resume
      </Button>
      {mayWrite && (
        <Button size="small" icon={<Trash2 aria-hidden className="size-3.5" />} onClick={() => onAct("delete")}>
          Delete
        </Button>
      )}
      <IconButton size="small" label="Choose none" icon={<X aria-hidden className="size-4" />} onClick={onClear} />
    </section>
  );
}
