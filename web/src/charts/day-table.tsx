import { numberText } from "../ui/counted.ts";
import { dateInWords } from "./heat-days.ts";
import type { HeatMapProps } from "./heat-map.tsx";

/** The numbers behind the calendar, newest first. */
export function DayTable({ label, days, onChoose }: HeatMapProps) {
  const states = ["succeeded", "failed", "unknown", "cancelled", "skipped"] as const;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys
    <section className="max-h-64 overflow-auto" tabIndex={0} aria-label={`${label}, as a table`}>
      <table className="w-full text-left text-xs">
        <caption className="sr-only">{label}</caption>
        <thead className="bg-surface sticky top-0">
          <tr>
            <th scope="col" className="py-1 pr-3">
              Day
            </th>
            {states.map((state) => (
              <th key={state} scope="col" className="py-1 pr-3 text-right">
                {state}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.date} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 font-normal whitespace-nowrap">
                <button type="button" className="hover:underline" onClick={() => onChoose(day.date)}>
                  {dateInWords(day.date)}
                </button>
                {!day.complete && " (at least)"}
              </th>
              {states.map((state) => (
                <td key={state} className="py-1 pr-3 text-right">
                  {numberText(day[state])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
