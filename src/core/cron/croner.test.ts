/*
 * A second opinion from croner, where its dialect and its answers are ours too: no clock change near, no ranges that
 * wrap, and not the 1st of March, which it loses when a search begins on the last days of February.
 */
import { Cron } from "croner";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Occurrences } from "./occurrences.ts";
import { parseCron } from "./parse.ts";
import { zoneNamed } from "./zone.ts";

function field(min: number, max: number, starWeight: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 2, max: Math.floor((max - min) / 2) });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(range, step).map(([span, by]) => `${span}/${by}`),
  );
  return fc.oneof(
    { weight: starWeight, arbitrary: fc.constant("*") },
    { weight: 1, arbitrary: step.map((by) => `*/${by}`) },
    { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")) },
  );
}

const day = fc.oneof(
  { weight: 6, arbitrary: field(1, 28, 8) },
  { weight: 1, arbitrary: fc.constantFrom("L", "15W", "LW") },
);
const weekday = fc.oneof(
  { weight: 6, arbitrary: field(0, 6, 8) },
  { weight: 1, arbitrary: fc.constantFrom("FRI#2", "MON#1", "SUN#5", "THU#L") },
);
const expression = fc
  .tuple(field(0, 59, 1), field(0, 59, 1), field(0, 23, 1), day, field(1, 12, 8), weekday)
  .map((fields) => fields.join(" "));

/** Zones with and without clock changes, in seasons that have none. */
const place = fc.oneof(
  fc.tuple(fc.constant("UTC"), fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })),
  fc.tuple(
    fc.constantFrom("Asia/Tokyo", "Asia/Kathmandu", "America/Phoenix"),
    fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
  ),
  fc.tuple(
    fc.constantFrom("Europe/Berlin", "America/New_York"),
    fc.integer({ min: Date.UTC(2026, 4, 1), max: Date.UTC(2026, 8, 1) }),
  ),
);

function isNearClockChange(zone: string, from: number, until: number): boolean {
  return zoneNamed(zone)!.changes(from / 1_000 - 86_400, until / 1_000 + 86_400).length > 0;
}

test("croner comes to the same instants where it can be trusted", () => {
  fc.assert(
    fc.property(expression, place, (text, [zone, after]) => {
      const parsed = parseCron(text);
      fc.pre(parsed.ok);
      const table = new Occurrences(parsed.expression, zoneNamed(zone)!, { gap: "shift", fold: "first" });
      const theirs = new Cron(text, { timezone: zone });
      let at = after;
      for (let run = 0; run < 3; run++) {
        const next = table.next(at);
        fc.pre(next !== null);
        const local = new Date(next + zoneNamed(zone)!.at(next / 1_000).offset * 1_000).toISOString();
        fc.pre(!local.includes("-03-01T") && !isNearClockChange(zone, at, next));
        expect(new Date(next).toISOString()).toBe(theirs.nextRun(new Date(at))?.toISOString());
        at = next;
      }
    }),
    { numRuns: 400 },
  );
});
