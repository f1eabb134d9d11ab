import { Toast } from "@base-ui/react/toast";
import { Check, CircleAlert, X } from "lucide-react";
import { IconButton } from "./button.tsx";
import { errorText } from "./notice.tsx";

const manager = Toast.createToastManager();

/** Says that something was done. */
export function tell(title: string): void {
  manager.add({ title, type: "done" });
}

/** Says that something could not be done, and stays longer. */
export function tellFailure(what: string, error: unknown): void {
  manager.add({ title: what, description: errorText(error), type: "failure", priority: "high", timeout: 12_000 });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-60 flex [body:has([data-bottom-bar])_&]:bottom-28 sm:[body:has([data-bottom-bar])_&]:bottom-18 w-[calc(100vw-2rem)] max-w-sm flex-col gap-2">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="bg-surface border-line flex items-start gap-2 rounded-md border p-3 shadow-lg data-[limited]:hidden"
    >
      {toast.type === "failure" ? (
        <CircleAlert aria-hidden className="text-bad mt-0.5 size-4 shrink-0" />
      ) : (
        <Check aria-hidden className="text-ok mt-0.5 size-4 shrink-0" />
      )}
      <div className="min-w-0 grow [overflow-wrap:anywhere]">
        <Toast.Title className="font-medium" />
        <Toast.Description className="text-muted" />
      </div>
      <Toast.Close render={<IconButton label="Dismiss" size="small" icon={<X aria-hidden className="size-4" />} />} />
    </Toast.Root>
  ));
}
