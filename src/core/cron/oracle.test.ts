/*
 * The engine against an oracle that is slow and obvious: it looks at every minute (or second) of a few days, asks Intl
 * what the clock shows, and compares that with the values that an expression was made from. It shares nothing with the
 * engine: no parser, no calendar, no table of clock changes.
 *
 * A failure prints the seed; put it beside `numRuns` to see it again.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DstPolicy, Occurrences } from "./occurrences.ts";
import { parseCron } from "./parse.ts";
import { zoneNamed } from "./zone.ts";

/** What a clock shows, in seconds since 1970 as if it stood in UTC. */
function wallClock(zone: string): (second: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (second) => {
    const [month, day, year, hour, minute, seconds] = format
      .format(second * 1_000)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year!, month! - 1, day!, hour!, minute!, seconds!) / 1_000;
  };
}

/** Some time around an instant with what the clock shows in it, a minute or a second apart. */
interface Window {
  readonly zone: string;
  readonly step: number;
  readonly from: number;
  /** Before this, it is only remembered what the clock has shown. */
  readonly judgedFrom: number;
  readonly walls: readonly number[];
}

function windowAround(zone: string, middle: number, step: 1 | 60): Window {
  const clock = wallClock(zone);
  const reach = step === 60 ? 2 * 86_400 : 4_000;
  const from = middle - reach;
  const walls = Array.from({ length: (2 * reach) / step }, (_, index) => clock(from + index * step));
  return { zone, step, from, judgedFrom: middle - reach / 2, walls };
}

/** Changes of a clock within a year, by comparing every hour with the one before. */
function changesIn(zone: string, year: number): number[] {
  const clock = wallClock(zone);
  const changes: number[] = [];
  const end = Date.UTC(year + 1, 0, 1) / 1_000;
  let hour = Date.UTC(year, 0, 1) / 1_000;
  let wall = clock(hour);
  while (hour < end) {
    hour += 3_600;
    const later = clock(hour);
    if (later - wall !== 3_600) changes.push(hour);
    wall = later;
  }
  return changes;
}

/** An expression, and the values it was written from. */
interface Written {
  readonly text: string;
  readonly elapsed: boolean;
  readonly matches: (wall: number) => boolean;
}

interface WrittenField {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

function field(min: number, max: number): fc.Arbitrary<WrittenField> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 2, max: Math.max(2, Math.floor((max - min) / 2)) });
  const all = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  const from = (start: number, end: number, by: number) => {
    const cycle = [...all, ...all].slice(start - min);
    const length = end >= start ? end - start + 1 : end - start + 1 + all.length;
    return cycle.slice(0, length).filter((_, index) => index % by === 0);
  };
  const item = fc.oneof(
    { weight: 4, arbitrary: value.map((n) => ({ text: `${n}`, list: [n] })) },
    { weight: 1, arbitrary: step.map((by) => ({ text: `*/${by}`, list: from(min, max, by) })) },
    { weight: 1, arbitrary: fc.tuple(value, step).map(([n, by]) => ({ text: `${n}/${by}`, list: from(n, max, by) })) },
    { weight: 2, arbitrary: fc.tuple(value, value).map(([a, b]) => ({ text: `${a}-${b}`, list: from(a, b, 1) })) },
    {
      weight: 1,
      arbitrary: fc.tuple(value, value, step).map(([a, b, by]) => ({ text: `${a}-${b}/${by}`, list: from(a, b, by) })),
    },
  );
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(","),
    values: new Set(items.flatMap(({ list }) => list)),
  }));
}

const star: WrittenField = { text: "*", values: new Set(Array.from({ length: 61 }, (_, index) => index)) };

function starOr(other: fc.Arbitrary<WrittenField>, weight: number): fc.Arbitrary<WrittenField> {
  return fc.oneof({ weight, arbitrary: fc.constant(star) }, { weight: 4, arbitrary: other });
}

type DayTest = { readonly text: string; readonly matches: (date: Date) => boolean };

const lastOfMonth = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

/** The Monday to Friday nearest to a day of its month, by looking at all of them. */
function nearestWorkday(date: Date, wanted: number): number {
  const workdays = Array.from({ length: lastOfMonth(date) }, (_, index) => index + 1).filter((day) => {
    const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
    return weekday !== 0 && weekday !== 6;
  });
  return workdays.reduce((best, day) => (Math.abs(day - wanted) < Math.abs(best - wanted) ? day : best));
}

const dayOfMonth: fc.Arbitrary<DayTest> = fc.oneof(
  {
    weight: 4,
    arbitrary: field(1, 31).map(({ text, values }) => ({
      text,
      matches: (date: Date) => values.has(date.getUTCDate()),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant<DayTest>({ text: "L", matches: (date: Date) => date.getUTCDate() === lastOfMonth(date) }),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 5 }).map((n) => ({
      text: `L-${n}`,
      matches: (date: Date) => date.getUTCDate() === lastOfMonth(date) - n,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 31 }).map((n) => ({
      text: `${n}W`,
      matches: (date: Date) => n <= lastOfMonth(date) && date.getUTCDate() === nearestWorkday(date, n),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant<DayTest>({
      text: "LW",
      matches: (date: Date) => date.getUTCDate() === nearestWorkday(date, lastOfMonth(date)),
    }),
  },
);

const dayOfWeek: fc.Arbitrary<DayTest> = fc.oneof(
  {
    weight: 3,
    arbitrary: field(0, 6).map(({ text, values }) => ({ text, matches: (date: Date) => values.has(date.getUTCDay()) })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 5 })).map(([weekday, nth]) => ({
      text: `${weekday}#${nth}`,
      matches: (date: Date) => date.getUTCDay() === weekday % 7 && Math.ceil(date.getUTCDate() / 7) === nth,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 7 }).map((weekday) => ({
      text: `${weekday}L`,
      matches: (date: Date) => date.getUTCDay() === weekday % 7 && date.getUTCDate() > lastOfMonth(date) - 7,
    })),
  },
);

/** Mostly all days, so that the few days of a window have something to show. */
const days = fc.oneof(
  { weight: 4, arbitrary: fc.constant<[DayTest | null, DayTest | null]>([null, null]) },
  { weight: 1, arbitrary: dayOfMonth.map((day): [DayTest, null] => [day, null]) },
  { weight: 1, arbitrary: dayOfWeek.map((day): [null, DayTest] => [null, day]) },
  { weight: 1, arbitrary: fc.tuple(dayOfMonth, dayOfWeek) },
);

function expression(second: fc.Arbitrary<WrittenField | null>): fc.Arbitrary<Written> {
  const times = fc.tuple(second, starOr(field(0, 59), 1), starOr(field(0, 23), 2));
  return fc
    .tuple(times, days, starOr(field(1, 12), 16))
    .map(([[seconds, minutes, hours], [monthDay, weekDay], months]) => {
      const fields = [minutes.text, hours.text, monthDay?.text ?? "*", months.text, weekDay?.text ?? "?"];
      const timeFields = seconds === null ? [minutes, hours] : [seconds, minutes, hours];
      return {
        text: [...(seconds === null ? [] : [seconds.text]), ...fields].join(" "),
        elapsed: timeFields.some(({ text }) => text.startsWith("*")),
        matches: (wall) => {
          const date = new Date(wall * 1_000);
          if (seconds === null ? date.getUTCSeconds() !== 0 : !seconds.values.has(date.getUTCSeconds())) return false;
          if (!minutes.values.has(date.getUTCMinutes()) || !hours.values.has(date.getUTCHours())) return false;
          if (!months.values.has(date.getUTCMonth() + 1)) return false;
          if (monthDay === null || weekDay === null) return (monthDay ?? weekDay)?.matches(date) ?? true;
          return monthDay.matches(date) || weekDay.matches(date);
        },
      };
    });
}

const policy: fc.Arbitrary<DstPolicy> = fc.record({
  gap: fc.constantFrom("shift", "skip"),
  fold: fc.constantFrom("first", "both"),
});

const day = (wall: number) => Math.floor(wall / 86_400);

/** The instants in a window, by looking at each of its steps. */
function oracle({ step, from, walls }: Window, { matches, elapsed }: Written, dst: DstPolicy): number[] {
  const seen = new Set<number>();
  const found: number[] = [];
  walls.forEach((wall, index) => {
    const before = walls[index - 1] ?? wall - step;
    let fires = matches(wall) && (elapsed || dst.fold === "both" || !seen.has(wall));
    if (!elapsed && dst.gap === "shift") {
      for (let missing = before + step; missing < wall; missing += step) {
        if (day(missing) === day(wall) && matches(missing)) fires = true;
      }
    }
    if (fires) found.push((from + index * step) * 1_000);
    seen.add(wall);
  });
  return found;
}

/** What the engine says of the same window, asked in every way there is. */
function expectAgreement(window: Window, written: Written, dst: DstPolicy, cut: number): void {
  const parsed = parseCron(written.text);
  // Dates that never come are another test's business.
  if (!parsed.ok) {
    expect(parsed.problem.message).toContain("never fires");
    return;
  }
  const table = new Occurrences(parsed.expression, zoneNamed(window.zone)!, dst);
  const first = window.judgedFrom * 1_000;
  const last = (window.from + window.walls.length * window.step) * 1_000 - 1;
  const expected = oracle(window, written, dst).filter((instant) => instant >= first);

  const forwards: number[] = [];
  for (let at = table.next(first - 1); at !== null && at <= last; at = table.next(at)) forwards.push(at);
  expect(forwards).toEqual(expected);

  const backwards: number[] = [];
  for (let at = table.previous(last + 1); at !== null && at >= first; at = table.previous(at)) backwards.push(at);
  expect(backwards.reverse()).toEqual(expected);

  expect(table.count(first - 1, last)).toBe(expected.length);
  const somewhere = first + Math.floor((last - first) * cut);
  expect(table.count(first - 1, somewhere)).toBe(expected.filter((instant) => instant <= somewhere).length);
  const after = table.next(somewhere);
  const wanted = expected.find((instant) => instant > somewhere) ?? null;
  expect(after !== null && after <= last ? after : null).toBe(wanted);
}

const ZONES: readonly (readonly [zone: string, year: number])[] = [
  ["America/New_York", 2026],
  ["Europe/London", 2026],
  ["Australia/Lord_Howe", 2026],
  ["America/Sao_Paulo", 2018],
  ["Asia/Kathmandu", 1985],
  ["Africa/Casablanca", 2026],
  ["Pacific/Apia", 2011],
  ["Asia/Beirut", 2025],
  ["America/Havana", 2025],
  ["Antarctica/Troll", 2026],
  ["Pacific/Kiritimati", 1994],
  ["America/Scoresbysund", 2024],
  ["America/New_York", 2611],
];

describe("the engine agrees with the oracle", () => {
  const minutely = expression(fc.constant(null));
  const secondly = expression(starOr(field(0, 59), 2));
  const cut = fc.double({ min: 0, max: 1, noNaN: true });

  test.each(ZONES)("around the clock changes of %s in %i", (zone, year) => {
    const windows = changesIn(zone, year).map((change) => windowAround(zone, change, 60));
    expect(windows).not.toEqual([]);
    fc.assert(fc.property(fc.constantFrom(...windows), minutely, policy, cut, expectAgreement), { numRuns: 40 });
  });

  test.each(ZONES.slice(0, 8))("to the second in %s in %i", (zone, year) => {
    const windows = changesIn(zone, year)
      .slice(-2)
      .map((change) => windowAround(zone, change, 1));
    fc.assert(fc.property(fc.constantFrom(...windows), secondly, policy, cut, expectAgreement), { numRuns: 10 });
  });

  test("to the second where an offset has seconds", () => {
    const window = windowAround("Africa/Monrovia", Date.UTC(1972, 0, 7, 0, 44, 30) / 1_000, 1);
    fc.assert(
      fc.property(secondly, policy, cut, (written, dst, at) => expectAgreement(window, written, dst, at)),
      { numRuns: 20 },
    );
  });

  test("in UTC, where nothing ever happens", () => {
    const window = windowAround("UTC", Date.UTC(2028, 1, 29) / 1_000, 60);
    fc.assert(
      fc.property(minutely, policy, cut, (written, dst, at) => expectAgreement(window, written, dst, at)),
      { numRuns: 50 },
    );
  });
});
