import { useId } from "react";
import { cx } from "../../ui/class-names.ts";

/** One of a few, all of them in sight. They are radio buttons: the arrow keys move among them. */
export function RadioSegments<T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  value: T | null;
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      <div className="bg-raised inline-flex max-w-full flex-wrap gap-0.5 rounded-md p-0.5">
        {options.map(([each, text]) => (
          <label
            key={each}
            className={cx(
              "has-[:focus-visible]:outline-accent relative cursor-pointer rounded px-2.5 py-1 font-medium has-[:focus-visible]:outline-2",
              each === value ? "bg-surface text-ink ring-line-strong shadow-sm ring-1" : "text-muted hover:text-ink",
            )}
          >
            <input
              type="radio"
              name={name}
              checked={each === value}
              onChange={() => onChange(each)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
