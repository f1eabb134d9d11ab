// Between a cron expression and what a person chooses in the builder. Only what can be said in both ways without loss is a plan:
// all else is an expression that somebody wrote, and stays as it was written.

export type CronPlan =
  | { kind: "minutes"; every: number }
  | { kind: "hours"; every: number; minute: number }
  | { kind: "daily"; hour: number; minute: number }
  | { kind: "weekdays"; hour: number; minute: number }
  | { kind: "weekly"; days: number[]; hour: number; minute: number }
  | { kind: "monthly"; days: MonthDay[]; hour: number; minute: number };

export type PlanKind = CronPlan["kind"];
/** L is the last one, whichever that is. */
export type MonthDay = number | "L";

/** Only these fill an hour and a day evenly; after 7 minutes and 7 minutes and so on the last gap would be another. */
export const MINUTE_STEPS = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30] as const;
export const HOUR_STEPS = [1, 2, 3, 4, 6, 8, 12] as const;

const WEEKDAY_NAMES = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WORKING_DAYS = [1, 2, 3, 4, 5];
const MACROS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};

export function writePlan(plan: CronPlan): string {
  if (plan.kind === "minutes") return plan.every === 1 ? "* * * * *" : `*/${plan.every} * * * *`;
  if (plan.kind === "hours") return `${plan.minute} ${plan.every === 1 ? "*" : `*/${plan.every}`} * * *`;
  const clock = `${plan.minute} ${plan.hour}`;
  if (plan.kind === "daily") return `${clock} * * *`;
  if (plan.kind === "weekdays") return `${clock} * * 1-5`;
  if (plan.kind === "weekly") return `${clock} * * ${ordered(plan.days).join(",")}`;
  return `${clock} ${ordered(plan.days).join(",")} * *`;
}

/** What the builder shows for an expression; null if it cannot say it. */
export function readPlan(cron: string): CronPlan | null {
  const text = cron.trim();
  const fields = (MACROS[text.toLowerCase()] ?? text).split(/[\t ]+/);
  if (fields.length === 6 && /^0+$/.test(fields[0]!)) fields.shift();
  if (fields.length !== 5) return null;
  const [minute, hour, day, month, weekday] = fields.map((field) => (field === "?" ? "*" : field)) as Fields;
  if (month !== "*") return null;
  const anyDay = day === "*" && weekday === "*";
  const hours = stepOf(hour, HOUR_STEPS);
  const minutes = stepOf(minute, MINUTE_STEPS);
  if (minutes !== null) return hours === 1 && anyDay ? { kind: "minutes", every: minutes } : null;
  const at = numberWithin(minute, 0, 59);
  if (at === null) return null;
  if (hours !== null) return anyDay ? { kind: "hours", every: hours, minute: at } : null;
  const clock = numberWithin(hour, 0, 23);
  return clock === null ? null : atClock(day, weekday, { hour: clock, minute: at });
}

type Fields = [minute: string, hour: string, day: string, month: string, weekday: string];

function atClock(day: string, weekday: string, clock: { hour: number; minute: number }): CronPlan | null {
  if (day === "*" && weekday === "*") return { kind: "daily", ...clock };
  if (day === "*") {
    const days = weekdaysOf(weekday);
    if (days === null) return null;
    return String(days) === String(WORKING_DAYS) ? { kind: "weekdays", ...clock } : { kind: "weekly", days, ...clock };
  }
  // With both of them given it fires when either matches, which is more than the builder says.
  const days = weekday === "*" ? monthDaysOf(day) : null;
  return days === null ? null : { kind: "monthly", days, ...clock };
}

function stepOf(field: string, steps: readonly number[]): number | null {
  if (field === "*") return 1;
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1] ?? Number.NaN);
  return steps.includes(step) ? step : null;
}

function numberWithin(text: string, min: number, max: number): number | null {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

function weekdaysOf(field: string): number[] | null {
  const found: number[] = [];
  for (const item of field.split(",")) {
    const [first, last, ...more] = item.split("-").map(weekdayOf);
    if (first === undefined || first === null || last === null || more.length > 0) return null;
    // Sunday ends a range as 7, and begins one as 0.
    const until = last === undefined ? first : last < first && last === 0 ? 7 : last;
    if (until < first) return null;
    for (let day = first; day <= until; day += 1) found.push(day % 7);
  }
  return ordered(found) as number[];
}

function weekdayOf(text: string): number | null {
  const named = WEEKDAY_NAMES.findIndex((name) => new RegExp(`^${name}([a-z]*day)?$`, "i").test(text));
  return named === -1 ? numberWithin(text, 0, 7) : named;
}

function monthDaysOf(field: string): MonthDay[] | null {
  const found: MonthDay[] = [];
  for (const item of field.split(",")) {
    const day = item.toUpperCase() === "L" ? "L" : numberWithin(item, 1, 31);
    if (day === null) return null;
    found.push(day);
  }
  return ordered(found);
}

/** Each once, as people say them: from Monday on, and the last day of the month last. */
function ordered<T extends MonthDay>(days: readonly T[]): T[] {
  const place = (day: T) => (day === "L" ? 32 : Number(day));
  return [...new Set(days)].sort((one, other) => place(one) - place(other));
}

/** Another kind of plan that keeps of this one what it can: above all the time of day. */
export function changeKind(plan: CronPlan | null, kind: PlanKind): CronPlan {
  const minute = plan !== null && "minute" in plan ? plan.minute : 0;
  const hour = plan !== null && "hour" in plan ? plan.hour : 9;
  if (kind === "minutes") return { kind, every: 5 };
  if (kind === "hours") return { kind, every: 1, minute };
  if (kind === "weekly") return { kind, days: plan?.kind === "weekdays" ? WORKING_DAYS : [1], hour, minute };
  if (kind === "monthly") return { kind, days: [1], hour, minute };
  return { kind, hour, minute };
}

/** At midnight sharp everybody's jobs fire, and whoever they call is busy. */
export function isMidnight(cron: string): boolean {
  const plan = readPlan(cron);
  return plan !== null && "hour" in plan && plan.hour === 0 && plan.minute === 0;
}
