/*
 * An accepted expression in words.
 *
 * cronstrue words the time of day. Days and months are worded here, from the sets that decide: it joins the two day
 * fields with "and" where cron means "or", drops items beside an `L`, and does not know several of the forms that we
 * take. If it throws all the same, the expression has to speak for itself: a sentence is a convenience, never a
 * reason to fail.
 */
import cronstrue from "cronstrue";
import { MONTHS, WEEKDAYS } from "./fields.ts";
import { isAny, parseCron, splitCron } from "./parse.ts";
import { ANY_DAY, ANY_WEEKDAY, type CronSets, LAST_WORKDAY } from "./sets.ts";

const NTH = ["first", "second", "third", "fourth"] as const;
const EVERY_MONTH = (1 << MONTHS.length) - 1;

/** Lists of jobs say the same sentences again and again, and making one takes as long as reading the job does. */
const REMEMBERED_MAX = 5_000;
const remembered = new Map<string, string>();

export function describeCron(text: string): string {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const sentence = inWords(text);
  const [oldest] = remembered.keys();
  if (remembered.size >= REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
  remembered.set(text, sentence);
  return sentence;
}

function inWords(text: string): string {
  const parsed = parseCron(text);
  const time = parsed.ok ? timeOfDay(text) : null;
  if (!parsed.ok || time === null) return text.trim();
  const { expression } = parsed;
  const days = [
    expression.flags & ANY_DAY ? "" : `on ${daysOfMonth(expression)} of the month`,
    expression.flags & ANY_WEEKDAY ? "" : `on ${daysOfWeek(expression)}`,
  ];
  const months = expression.months === EVERY_MONTH ? "" : `in ${and(cyclicRuns(expression.months, MONTHS))}`;
  return [time, days.filter(isSaid).join(" or "), months].filter(isSaid).join(", ");
}

function isSaid(part: string): boolean {
  return part !== "";
}

function timeOfDay(text: string): string | null {
  const [second, minute, hour] = splitCron(text).map((field) => (isAny(field) ? "*" : field));
  try {
    return cronstrue.toString(`${second} ${minute} ${hour} * * *`, { use24HourTimeFormat: true });
  } catch {
    return null;
  }
}

function daysOfMonth(sets: CronSets): string {
  const days = members(sets.days).map((index) => index + 1);
  const plain = days.length === 0 ? [] : [`${days.length === 1 ? "day" : "days"} ${and(runs(days, String))}`];
  const nearest = members(sets.nearestWeekdays).map((index) => `the weekday nearest to day ${index + 1}`);
  const last = members(sets.daysBeforeLast).map(beforeLast);
  return and([...plain, ...nearest, ...(sets.flags & LAST_WORKDAY ? ["the last weekday"] : []), ...last]);
}

function beforeLast(days: number): string {
  if (days === 0) return "the last day";
  return days === 1 ? "the second last day" : `the day ${days} days before the last day`;
}

function daysOfWeek(sets: CronSets): string {
  const plain = cyclicRuns(sets.weekdays, WEEKDAYS);
  const special = [
    ...NTH.flatMap((nth, index) => named(nth, (sets.nthWeekdays >>> (index * 7)) & 127)),
    ...named("fifth", sets.fifthWeekdays),
    ...named("last", sets.lastWeekdays),
  ];
  return special.length === 0 ? and(plain) : `${and([...plain, ...special])} of the month`;
}

function named(which: string, weekdays: number): string[] {
  return members(weekdays).map((weekday) => `the ${which} ${WEEKDAYS[weekday]}`);
}

function members(bits: number): number[] {
  return Array.from({ length: 31 }, (_, index) => index).filter((index) => (bits >>> index) & 1);
}

/** Names in a circle: a run may pass its end, as Saturday, Sunday, Monday does. */
function cyclicRuns(bits: number, names: readonly string[]): string[] {
  const all = members(bits);
  const first = all.find((value) => !all.includes((value + names.length - 1) % names.length)) ?? 0;
  const ahead = all.map((value) => (value < first ? value + names.length : value)).sort((a, b) => a - b);
  return runs(ahead, (value) => names[value % names.length]!);
}

/** 1, 2, 3, 5 is "1 through 3" and "5". */
function runs(values: readonly number[], name: (value: number) => string): string[] {
  const found: number[][] = [];
  for (const value of values) {
    const run = found.at(-1);
    if (run !== undefined && run.at(-1) === value - 1) run.push(value);
    else found.push([value]);
  }
  return found.flatMap((run) => through(run.map(name)));
}

/** Two in a row are named one by one. */
function through(run: readonly string[]): string[] {
  return run.length < 3 ? [...run] : [`${run[0]} through ${run.at(-1)}`];
}

function and(items: readonly string[]): string {
  return items.length === 1 ? items[0]! : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
