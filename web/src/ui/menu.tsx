import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./class-names.ts";

/** Things to do, behind one button. */
export function Menu({
  trigger,
  children,
  defaultOpen = false,
}: {
  trigger: ReactElement;
  children: ReactNode;
  /** It is made when it is wanted, and open from the beginning. */
  defaultOpen?: boolean;
}) {
  return (
    <BaseMenu.Root defaultOpen={defaultOpen}>
      <BaseMenu.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={6} align="end" className="z-50">
          <BaseMenu.Popup className="bg-surface border-line max-h-[70vh] min-w-44 overflow-y-auto rounded-md border p-1 shadow-xl">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export function MenuItem({
  icon,
  children,
  onSelect,
  danger = false,
  chosen,
}: {
  icon?: ReactNode;
  children: ReactNode;
  onSelect: () => void;
  danger?: boolean;
  /** Of one among several: whether it is the one that holds. */
  chosen?: boolean;
}) {
  return (
    <BaseMenu.Item
      onClick={onSelect}
      aria-current={chosen || undefined}
      className={cx(
        "data-[highlighted]:bg-raised flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 outline-none select-none",
        danger && "text-bad",
        chosen && "font-semibold",
      )}
    >
      {icon}
      {children}
      {chosen && <Check aria-hidden className="ml-auto size-4" />}
    </BaseMenu.Item>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="bg-line my-1 h-px" />;
}
