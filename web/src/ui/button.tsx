import { Button as BaseButton } from "@base-ui/react/button";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Hint } from "./hint.tsx";

const LOOKS = {
  primary: "bg-accent text-on-accent hover:opacity-90 border-transparent",
  plain: "bg-surface text-ink hover:bg-raised border-line",
  quiet: "text-muted hover:text-ink hover:bg-raised border-transparent",
  danger: "bg-bad text-on-bad hover:opacity-90 border-transparent",
} as const;
const SIZES = { small: "h-7 px-2 text-xs gap-1", normal: "h-8 px-3 text-sm gap-1.5" } as const;

export interface ButtonLook {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
}

/** The same look for what is a link. */
export function buttonClass({ look = "plain", size = "normal" }: ButtonLook = {}, extra?: string): string {
  return cx(
    "inline-flex items-center justify-center rounded-md border font-medium whitespace-nowrap select-none",
    "disabled:opacity-50 disabled:cursor-not-allowed data-[disabled]:opacity-50 data-[disabled]:cursor-not-allowed",
    LOOKS[look],
    SIZES[size],
    extra,
  );
}

type ButtonProps = Omit<ComponentProps<"button">, "className"> &
  ButtonLook & {
    className?: string | undefined;
    /** While it is done: the button cannot be pressed again, and keeps the focus. */
    busy?: boolean | undefined;
    icon?: ReactNode;
  };

export function Button({ look, size, busy = false, icon, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...rest}
      disabled={disabled || busy}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={buttonClass({ ...(look ? { look } : {}), ...(size ? { size } : {}) }, className)}
    >
      {icon}
      {children}
    </BaseButton>
  );
}

/** A picture that needs a name: it is read aloud, and shown as a hint. */
export function IconButton({ label, icon, size = "normal", ...rest }: ButtonProps & { label: string }) {
  const square = size === "small" ? "w-7 !px-0" : "w-8 !px-0";
  return (
    <Hint text={label}>
      <Button
        look="quiet"
        {...rest}
        size={size}
        aria-label={label}
        icon={icon}
        className={cx(square, rest.className)}
      />
    </Hint>
  );
}
