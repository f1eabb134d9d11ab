import { type ComponentProps, type ReactNode, useId } from "react";
import { cx } from "./class-names.ts";

const CONTROL =
  "bg-surface border-line-strong text-ink w-full min-w-0 rounded-md border px-2.5 text-sm aria-[invalid=true]:border-bad disabled:opacity-60";

/** What a control needs to be named and described. */
interface Wiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

/** A label above a control, with what it means and what is wrong with it below. */
export function Field({
  label,
  about,
  error,
  children,
  className,
}: {
  label: ReactNode;
  about?: ReactNode;
  error?: string | null | undefined;
  children: (wiring: Wiring) => ReactNode;
  className?: string | undefined;
}) {
  const id = useId();
  const wrong = typeof error === "string" && error !== "";
  const described = [about !== undefined && `${id}-about`, wrong && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": wrong || undefined,
      })}
      {about !== undefined && (
        <div id={`${id}-about`} className="text-muted text-xs">
          {about}
        </div>
      )}
      {wrong && (
        <p id={`${id}-error`} role="alert" className="text-bad text-xs [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
    </div>
  );
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input autoComplete="off" {...rest} className={cx(CONTROL, "h-8", className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} className={cx(CONTROL, "min-h-20 py-1.5", className)} />;
}

/** The browser's own: it works with every keyboard, phone and screen reader there is. */
export function Select<T extends string>({
  options,
  value,
  onChange,
  className,
  ...rest
}: Omit<ComponentProps<"select">, "value" | "onChange"> & {
  options: readonly (readonly [value: T, label: string])[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <select
      {...rest}
      value={value}
      onChange={(event) => onChange(event.target.value as T)}
      className={cx(CONTROL, "h-8", className)}
    >
      {options.map(([each, label]) => (
        <option key={each} value={each}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function Checkbox({ label, className, ...rest }: ComponentProps<"input"> & { label: ReactNode }) {
  return (
    <label className={cx("flex items-center gap-2", className)}>
      <input type="checkbox" {...rest} className="accent-accent size-4 shrink-0" />
      <span>{label}</span>
    </label>
  );
}
