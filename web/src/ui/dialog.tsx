import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./button.tsx";
import { cx } from "./class-names.ts";

const FIRST_FIELD = ":is(input, select, textarea):not([type=hidden], :disabled, [tabindex='-1'])";

/** A window above the page. Escape and a press beside it close it; the focus goes back to where it was. */
export function Dialog({
  open,
  onClose,
  title,
  about,
  children,
  wide = false,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
  wide?: boolean;
}) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <BaseDialog.Popup
          ref={popup}
          // Whoever opens a form wants to fill it in. Where there is none the window itself has the focus, and not the button
          // that closes it, whose hint would take the first press of Escape.
          initialFocus={() => popup.current?.querySelector<HTMLElement>(FIRST_FIELD) ?? popup.current}
          className={cx(
            "bg-surface border-line outline-none fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-lg border shadow-2xl",
            wide ? "max-w-3xl" : "max-w-lg",
          )}
        >
          <div className="border-line flex items-start justify-between gap-4 border-b py-3 pr-3 pl-4">
            <div className="min-w-0">
              <BaseDialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">{title}</BaseDialog.Title>
              {about !== undefined && (
                <BaseDialog.Description className="text-muted [overflow-wrap:anywhere]" render={<div />}>
                  {about}
                </BaseDialog.Description>
              )}
            </div>
            <IconButton label="Close" size="small" icon={<X aria-hidden className="size-4" />} onClick={onClose} />
          </div>
          <div className="min-h-0 overflow-y-auto p-4">{children}</div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** The buttons at the end of a dialog or form. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className="mt-4 flex flex-wrap justify-end gap-2">{children}</div>;
}
