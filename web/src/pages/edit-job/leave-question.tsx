import { useBlocker } from "@tanstack/react-router";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** Whoever leaves with something unsaved is asked first: on the way to another page, and by the browser itself. */
export function LeaveQuestion({ unsaved }: { unsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    // Between form and JSON only the search of the address changes.
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  return (
    <Dialog
      open={status === "blocked"}
      onClose={() => reset?.()}
      title="Leave without saving?"
      about="What you have changed here is lost then."
    >
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="danger" onClick={() => proceed?.()}>
          Leave
        </Button>
        <Button look="primary" onClick={() => reset?.()}>
          Stay here
        </Button>
      </div>
    </Dialog>
  );
}
