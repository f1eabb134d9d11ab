/* No text whatever makes the parser throw, hang, or accept what it should not. A failure prints its seed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Occurrences } from "./occurrences.ts";
import { parseCron } from "./parse.ts";
import { zoneNamed } from "./zone.ts";

const soup = fc
  .array(fc.constantFrom(..."0123456789*/-,?LWH#@ \t", "MON", "JAN", "-1", "99", "**", "//", ",,"), { maxLength: 60 })
  .map((pieces) => pieces.join(""));

const good = ["0", "5", "*", "*/5", "1-5", "?", "1,2"];
const bad = [
  "x",
  "-",
  "/",
  ",",
  "5-",
  "-5",
  "*/",
  "*/0",
  "1//2",
  "61",
  "5W5",
  "#",
  "5#",
  "LL",
  "*-5",
  "1-2-3",
  "½",
  "0x5",
  "1e1",
  "∞",
  "5;",
  "''",
  "()",
  "٣",
];
const oneBad = fc
  .tuple(fc.array(fc.constantFrom(...good), { minLength: 5, maxLength: 6 }), fc.constantFrom(...bad), fc.nat(5))
  .map(([fields, token, place]) => fields.with(place % fields.length, token).join(" "));

test("10,000 expressions with a fault in one field are all refused, with a reason", () => {
  fc.assert(
    fc.property(oneBad, (text) => {
      const parsed = parseCron(text);
      expect(parsed.ok).toBe(false);
      expect(!parsed.ok && parsed.problem.message.length).toBeGreaterThan(10);
    }),
    { numRuns: 10_000 },
  );
});

test("text of all kinds is read or refused, and what is read has instants", () => {
  const utc = zoneNamed("UTC")!;
  fc.assert(
    fc.property(fc.oneof(soup, fc.string({ unit: "binary", maxLength: 300 })), (text) => {
      const parsed = parseCron(text);
      if (!parsed.ok) return;
      const table = new Occurrences(parsed.expression, utc, { gap: "shift", fold: "first" });
      expect(table.next(Date.UTC(2026, 0, 1))).not.toBe(null);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["digits", "1".repeat(100_000)],
  ["commas", ",".repeat(100_000)],
  ["stars", "* ".repeat(100_000)],
  ["spaces", " ".repeat(100_000)],
  ["spaces before a letter", `${" \t".repeat(100_000)}x`],
  ["nested steps", `${"*/1".repeat(80)} * * * *`],
  ["dashes", `${"1-".repeat(120)}1 * * * *`],
])("many %s are refused", (_, text) => {
  expect(parseCron(text).ok).toBe(false);
});
