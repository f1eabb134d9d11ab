import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

// One popup for all: a list has hundreds of hints, and shows one at a time.
const popup = Tooltip.createHandle<ReactNode>();

/** A few words beside what is pointed at or has the focus. Never the only place where something is said. */
export function Hint({ text, children }: { text: ReactNode; children: ReactElement }) {
  return <Tooltip.Trigger handle={popup} payload={text} render={children as ReactElement<Record<string, unknown>>} />;
}

/** Where the hints are shown. */
export function Hints() {
  return (
    <Tooltip.Root handle={popup}>
      {({ payload }) => (
        <Tooltip.Portal>
          <Tooltip.Positioner sideOffset={6} className="z-50">
            <Tooltip.Popup className="bg-ink text-canvas max-w-xs rounded-md px-2 py-1 text-xs shadow-lg">
              {payload}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      )}
    </Tooltip.Root>
  );
}
