/*
 * Whether any date matches, decided from the sets alone.
 *
 * Days of the week come in every month: each of the seven, also as the first to fourth and as the last. A fifth one
 * comes in some year, even in February, as the 29th falls on each weekday within 400 years. So only the day of the
 * month can be impossible, and only when it decides alone. Then every kind of it asks for nothing but a month long
 * enough: day n and `nW` for n days (the weekday nearest to an existing day exists, as it stays in its month), `L-n`
 * for n + 1 days, `L` and `LW` for any month. A leap day counts: it comes.
 */
import { lowestBit } from "./bits.ts";
import { MONTHS } from "./fields.ts";
import { ANY_DAY, ANY_WEEKDAY, type CronSets, LAST_WORKDAY } from "./sets.ts";

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The reason why no date matches; null if one does. */
export function whyNever(sets: CronSets): string | null {
  if ((sets.flags & ANY_DAY) !== 0 || (sets.flags & ANY_WEEKDAY) === 0) return null;
  if ((sets.flags & LAST_WORKDAY) !== 0) return null;
  const months = LONGEST.flatMap((length, index) =>
    (sets.months >>> index) & 1 ? [{ length, name: MONTHS[index]! }] : [],
  );
  const longest = Math.max(...months.map((month) => month.length));
  const dayNeeded = lowest(sets.days | sets.nearestWeekdays) + 1;
  const lengthNeeded = lowest(sets.daysBeforeLast) + 1;
  if (longest >= Math.min(dayNeeded, lengthNeeded)) return null;
  const names = months.map((month) => month.name);
  const subject = names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const verb = names.length === 1 ? "has" : "have";
  return dayNeeded <= lengthNeeded
    ? `${subject} ${verb} no day ${dayNeeded}`
    : `${subject} never ${verb} ${lengthNeeded} days`;
}

function lowest(bits: number): number {
  return bits === 0 ? Number.POSITIVE_INFINITY : lowestBit(bits);
}
