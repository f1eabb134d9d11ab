/*
 * `next`, `previous` and `count` speak of one set of instants, whatever is asked, in whatever order, and from wherever:
 * what a scheduler relies on that stores an instant today and goes on from it after an upgrade.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Occurrences } from "./occurrences.ts";
import { parseCron } from "./parse.ts";
import { zoneNamed } from "./zone.ts";

const value = (max: number) => fc.integer({ min: 0, max }).map(String);
const expression = fc
  .tuple(
    fc.oneof(value(59), fc.constantFrom("*", "*/7", "30-10/5", "0,20")),
    fc.oneof(value(59), fc.constantFrom("*", "*/15", "0-30", "45-15/10")),
    fc.oneof(value(23), fc.constantFrom("*", "*/3", "22-3", "2", "0")),
    fc.constantFrom("*", "*", "*", "1", "L", "15W", "*/10", "31", "LW,13", "L-3"),
    fc.constantFrom("*", "*", "*", "3,10,11", "2", "NOV-FEB"),
    fc.constantFrom("*", "*", "*", "SUN", "MON-FRI", "SUNL", "SUN#2", "SAT#5"),
  )
  .map((fields) => fields.join(" "));

const zone = fc.constantFrom(
  "UTC",
  "America/New_York",
  "Europe/London",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Asia/Kathmandu",
  "Africa/Casablanca",
  "Pacific/Apia",
  "Africa/Monrovia",
);
const table = fc
  .tuple(expression, zone, fc.constantFrom("shift", "skip"), fc.constantFrom("first", "both"))
  .filter(([text]) => parseCron(text).ok)
  .map(([text, name, gap, fold]) => {
    const parsed = parseCron(text);
    if (!parsed.ok) throw new Error(text);
    const fresh = () => new Occurrences(parsed.expression, zoneNamed(name)!, { gap, fold });
    return Object.assign(fresh(), { toString: () => `${text} in ${name}, gap ${gap}, fold ${fold}` });
  });
const instant = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2060, 0, 1) });

test("the instant before the next one is at or before where the search began, and the other way round", () => {
  fc.assert(
    fc.property(table, instant, (occurrences, time) => {
      const next = occurrences.next(time);
      fc.pre(next !== null);
      expect(next).toBeGreaterThan(time);
      expect(occurrences.next(next - 1)).toBe(next);
      expect(occurrences.previous(next) ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(time);
      const previous = occurrences.previous(time);
      fc.pre(previous !== null);
      expect(previous).toBeLessThan(time);
      expect(occurrences.previous(previous + 1)).toBe(previous);
      expect(occurrences.next(previous)).toBeGreaterThanOrEqual(time);
    }),
    { numRuns: 500 },
  );
});

test("counting equals walking", () => {
  fc.assert(
    fc.property(table, instant, fc.integer({ min: 1, max: 300 }), (occurrences, after, steps) => {
      let last = after;
      for (let step = 0; step < steps; step++) {
        const next = occurrences.next(last);
        fc.pre(next !== null);
        last = next;
      }
      expect(occurrences.count(after, last)).toBe(steps);
      expect(occurrences.count(after, last - 1)).toBe(steps - 1);
    }),
    { numRuns: 300 },
  );
});

test("counts add up", () => {
  fc.assert(
    fc.property(table, fc.tuple(instant, instant, instant), (occurrences, times) => {
      const [a, b, c] = times.sort((x, y) => x - y) as [number, number, number];
      expect(occurrences.count(a, b) + occurrences.count(b, c)).toBe(occurrences.count(a, c));
    }),
    { numRuns: 300 },
  );
});

test("what was asked before makes no difference", () => {
  fc.assert(
    fc.property(table, fc.array(instant, { minLength: 2, maxLength: 10 }), (occurrences, times) => {
      const answers = times.map((time) => occurrences.next(time));
      const again = times.toReversed().map((time) => occurrences.next(time));
      expect(again.reverse()).toEqual(answers);
    }),
    { numRuns: 200 },
  );
});
