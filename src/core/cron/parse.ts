/*
 * From text to sets of numbers, or to the reason why not.
 *
 * The dialect: five fields, or six with seconds first; `* ? , - /`, `n/step`, names, `0` and `7` for Sunday, ranges
 * that wrap, `L`, `L-n`, `LW` and `nW` as days of the month, `d#1` to `d#5` and `dL` (also written `d#L`) as days of
 * the week, where `d#` takes ranges too, and the macros. Whatever else there is, is refused and named: an expression
 * that is read differently from what was meant does its damage weeks later, at night.
 *
 * The time taken is linear in the length of the text, which is capped.
 */
import { CRON_MAX_LENGTH } from "../../contract/schedule.ts";
import { CronExpression } from "./expression.ts";
import { DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY } from "./fields.ts";
import { readField } from "./items.ts";
import { whyNever } from "./never.ts";
import { type CronProblem, Refusal, refuse } from "./refusal.ts";
import { ANY_DAY, ANY_WEEKDAY, type CronSets, ELAPSED } from "./sets.ts";

export type ParsedCron =
  | { readonly ok: true; readonly expression: CronExpression }
  | { readonly ok: false; readonly problem: CronProblem };

/** Second, minute, hour, day of month, month and day of week, as written. */
export type CronFields = [second: string, minute: string, hour: string, day: string, month: string, weekday: string];

const MACROS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

export function parseCron(text: string): ParsedCron {
  try {
    const fields = splitCron(text);
    const sets = readSets(fields);
    const reason = whyNever(sets);
    if (reason !== null) {
      const message = `"${text.trim()}" never fires (${reason})`;
      return { ok: false, problem: { field: DAY.field, token: fields[3], message } };
    }
    return { ok: true, expression: new CronExpression(sets) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** The six fields of an expression, macros and the implied second written out. Refuses by throwing. */
export function splitCron(text: string): CronFields {
  if (text.length > CRON_MAX_LENGTH) {
    refuse("expression", text, `has ${text.length} characters, at most ${CRON_MAX_LENGTH} are allowed`);
  }
  const trimmed = text.trim();
  // Letters of other scripts may turn into ours when changed to upper case.
  const odd = /[^\t -~]/.exec(trimmed);
  if (odd !== null) refuse("expression", trimmed, `contains ${JSON.stringify(odd[0])}, which is not allowed anywhere`);
  if (trimmed === "") refuse("expression", trimmed, `is empty: write five fields, such as "0 2 * * *"`);
  const fields = (trimmed.startsWith("@") ? macro(trimmed) : trimmed).split(/[\t ]+/);
  if (fields.length === 5) fields.unshift("0");
  if (fields.length === 6) return fields as CronFields;
  const count = fields.length === 1 ? "one field" : `${fields.length} fields`;
  const hint = fields.length === 7 ? `; there is no field for years, use "startsAt" and "endsAt"` : "";
  refuse("expression", trimmed, `has ${count}, not five (or six with seconds first)${hint}`);
}

function macro(text: string): string {
  const expression = MACROS.get(text.toLowerCase());
  if (expression !== undefined) return expression;
  const hint = /^@every\b/i.test(text) ? `; for intervals use "every" instead of "cron"` : "";
  refuse("expression", text, `is not one of ${[...MACROS.keys()].join(", ")}${hint}`);
}

function readSets([second, minute, hour, day, month, weekday]: CronFields): CronSets {
  const sets: CronSets = {
    secondsLow: 0,
    secondsHigh: 0,
    minutesLow: 0,
    minutesHigh: 0,
    hours: 0,
    months: 0,
    days: 0,
    daysBeforeLast: 0,
    nearestWeekdays: 0,
    weekdays: 0,
    nthWeekdays: 0,
    fifthWeekdays: 0,
    lastWeekdays: 0,
    flags: 0,
  };
  const seconds = readField(SECOND, second, sets);
  sets.secondsLow = seconds.low;
  sets.secondsHigh = seconds.high;
  const minutes = readField(MINUTE, minute, sets);
  sets.minutesLow = minutes.low;
  sets.minutesHigh = minutes.high;
  sets.hours = readField(HOUR, hour, sets).low;
  const days = readField(DAY, day, sets);
  sets.days = days.low | (days.high << 30);
  sets.months = readField(MONTH, month, sets).low;
  sets.weekdays = readField(WEEKDAY, weekday, sets).low;
  if (beginsWithStar(second) || beginsWithStar(minute) || beginsWithStar(hour)) sets.flags |= ELAPSED;
  if (isAny(day)) sets.flags |= ANY_DAY;
  if (isAny(weekday)) sets.flags |= ANY_WEEKDAY;
  return sets;
}

function beginsWithStar(text: string): boolean {
  return text.startsWith("*") || text === "?";
}

/** Whether a day field leaves the decision to the other one. Steps that leave days out do not. */
export function isAny(text: string): boolean {
  if (text === "*" || text === "?") return true;
  return text.includes("*") && text.split(",").some((item) => item === "*" || item === "*/1" || item === "*/01");
}
