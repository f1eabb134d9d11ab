// Days as a calendar: a column for each week. Red days have the number of failures in them and skipped ones are hatched, so that
// nothing is told by colour alone. One day has the focus and the arrows move it: a quarter of a year would be ninety stops for Tab.

import type { JobDay } from "punctual/client";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/class-names.ts";
import { DayTable } from "./day-table.tsx";
import { dateInWords, dayInWords, failedOn, type Heat, heatOf, ranOn, weeksOf } from "./heat-days.ts";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const STEP: Record<string, number> = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

const LOOK: Record<Heat["tone"], readonly [string, string, string, string, string]> = {
  ok: ["bg-raised", "bg-ok/25", "bg-ok/45", "bg-ok/70", "bg-ok"],
  bad: ["bg-raised", "bg-bad/15", "bg-bad/20 text-ink", "bg-bad/40 text-ink", "bg-bad text-on-bad"],
  idle: ["bg-raised", "bg-idle/30", "bg-idle/30", "bg-idle/45", "bg-idle/60"],
};

export interface HeatMapProps {
  /** What it shows; the name of the picture and of the table behind it. */
  label: string;
  /** Every day, oldest first. */
  days: readonly JobDay[];
  onChoose: (date: string) => void;
}

export function HeatMap(props: HeatMapProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="flex min-w-0 flex-col gap-3">
      {asTable ? <DayTable {...props} /> : <Calendar {...props} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        {asTable ? <span /> : <Legend />}
        <Button look="quiet" size="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "As a picture" : "As a table"}
        </Button>
      </div>
    </figure>
  );
}

function Calendar({ label, days, onChoose }: HeatMapProps) {
  const table = useRef<HTMLTableElement>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const weeks = weeksOf(days);
  const most = Math.max(0, ...days.map(ranOn));
  const today = days.at(-1)?.date;
  const stop = days.some(({ date }) => date === current) ? current : today;
  const move = (event: KeyboardEvent) => {
    const step = STEP[event.key];
    const target = step === undefined ? undefined : days[days.findIndex(({ date }) => date === stop) + step];
    if (target === undefined) return;
    event.preventDefault();
    setCurrent(target.date);
    table.current?.querySelector<HTMLElement>(`[data-date="${target.date}"]`)?.focus();
  };
  return (
    <table
      ref={table}
      aria-label={label}
      onKeyDown={move}
      className="w-full table-fixed border-separate border-spacing-[3px]"
    >
      <thead>
        <tr className="text-muted text-2xs h-4 text-left">
          <td className="w-8" />
          {weeks.map((week, index) => (
            <td key={week.find((day) => day !== null)!.date} className="overflow-visible whitespace-nowrap">
              {monthLabel(week, weeks[index - 1])}
            </td>
          ))}
        </tr>
      </thead>
      <tbody>
        {WEEKDAYS.map((name, weekday) => (
          <tr key={name}>
            <th scope="row" className="text-muted text-2xs w-8 text-left font-normal">
              {name}
            </th>
            {weeks.map((week) => {
              const day = week[weekday] ?? null;
              if (day === null) return <td key={week.find((each) => each !== null)!.date} />;
              return (
                <td key={day.date} className="p-0">
                  <DayButton
                    day={day}
                    heat={heatOf(day, most)}
                    isToday={day.date === today}
                    isStop={day.date === stop}
                    onChoose={onChoose}
                  />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DayButton({
  day,
  heat: { tone, strength },
  isToday,
  isStop,
  onChoose,
}: {
  day: JobDay;
  heat: Heat;
  isToday: boolean;
  isStop: boolean;
  onChoose: (date: string) => void;
}) {
  const name = `${dateInWords(day.date)}: ${dayInWords(day)}`;
  const failed = failedOn(day);
  return (
    <button
      type="button"
      data-date={day.date}
      tabIndex={isStop ? 0 : -1}
      aria-label={name}
      title={name}
      onClick={() => onChoose(day.date)}
      className={cx(
        "text-2xs relative block h-6 w-full sm:h-9 min-w-0 overflow-hidden rounded-sm font-semibold hover:opacity-75",
        LOOK[tone][strength],
        isToday && "outline-line-strong outline-1 outline-offset-1",
      )}
    >
      {failed > 0 && (failed > 99 ? "99+" : failed)}
      {day.skipped > 0 && (
        <span
          aria-hidden
          className={cx(
            "hatched text-warn bg-surface absolute inset-x-0 bottom-0",
            ranOn(day) > 0 ? "h-1.5" : "h-full",
          )}
        />
      )}
    </button>
  );
}

function Legend() {
  const samples = [
    ["Ran, none failed", "bg-ok/70"],
    ["Some failed", "bg-bad/40"],
    ["Half or more failed", "bg-bad"],
    ["Skipped or missed", "hatched text-warn bg-surface"],
  ] as const;
  return (
    <ul className="text-muted flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {samples.map(([name, look]) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden className={cx("size-3 rounded-sm", look)} />
          {name}
        </li>
      ))}
    </ul>
  );
}

/** Above the first week that has days of the month. */
function monthLabel(week: readonly (JobDay | null)[], before: readonly (JobDay | null)[] | undefined): string {
  const month = monthOf(week);
  return before !== undefined && monthOf(before) === month ? "" : MONTHS[month]!;
}

function monthOf(week: readonly (JobDay | null)[]): number {
  return Number(week.findLast((day) => day !== null)!.date.slice(5, 7)) - 1;
}
