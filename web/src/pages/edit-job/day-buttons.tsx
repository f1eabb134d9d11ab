import { cx } from "../../ui/class-names.ts";
import type { MonthDay } from "./cron-plan.ts";

/** Days to choose from, of the week or of the month: as many as one likes, but one at least. */
export function DayButtons({
  label,
  all,
  chosen,
  onChange,
}: {
  label: string;
  all: readonly (readonly [MonthDay, string])[];
  chosen: readonly MonthDay[];
  onChange: (days: MonthDay[]) => void;
}) {
  // One of them has to stay: on no day it would never run.
  const toggle = (day: MonthDay) => {
    const next = chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day];
    if (next.length > 0) onChange(next);
  };
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex max-w-md flex-wrap gap-1">
        {all.map(([day, text]) => (
          <button
            key={day}
            type="button"
            aria-pressed={chosen.includes(day)}
            onClick={() => toggle(day)}
            className={cx(
              "h-8 min-w-8 rounded-md border px-1.5 text-xs font-medium",
              chosen.includes(day)
                ? "bg-accent text-on-accent border-transparent"
                : "bg-surface border-line-strong hover:bg-raised",
            )}
          >
            {text}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
