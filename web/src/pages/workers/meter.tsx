import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";

/** So much of so much, as figures; the bar shows the same to whoever only glances. */
export function Meter({ value, max }: { value: number; max: number }) {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div className="flex flex-col gap-1 sm:flex-row sm:items-center sm:gap-2">
      <span className={cx(value <= max && "whitespace-nowrap")}>
        {numberText(Math.min(value, max))}{" "}
        <span className="text-muted">
          of {numberText(max)}
          {value > max && `, ${numberText(value - max)} waiting`}
        </span>
      </span>
      <div aria-hidden className="bg-raised h-1.5 min-w-12 grow overflow-hidden rounded-full">
        <div className={cx("h-full", share >= 1 ? "bg-warn" : "bg-run")} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
