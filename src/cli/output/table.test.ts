import fc from "fast-check";
import { expect, test } from "vitest";
import { painter } from "./colour.ts";
import { type Column, table } from "./table.ts";
import { widthOf } from "./text.ts";

const paint = painter(false);

interface Row {
  name: string;
  state: string;
  note: string;
}

const COLUMNS: Column<Row>[] = [
  { title: "NAME", of: ({ name }) => name, min: 6 },
  { title: "STATE", of: ({ state }) => state },
  { title: "NOTE", of: ({ note }) => note, rank: 1, min: 8 },
];
const ROWS = [
  { name: "nightly-report", state: "active", note: "a note that is rather long" },
  { name: "x", state: "paused", note: "" },
];

test("with room for everything, everything is shown", () => {
  expect(table(ROWS, COLUMNS, { width: Number.POSITIVE_INFINITY, paint })).toBe(
    [
      "NAME            STATE   NOTE\n",
      "nightly-report  active  a note that is rather long\n",
      "x               paused\n",
    ].join(""),
  );
});

test("the widest cells are cut first", () => {
  expect(table(ROWS, COLUMNS, { width: 40, paint })).toBe(
    ["NAME            STATE   NOTE\n", "nightly-report  active  a note that is …\n", "x               paused\n"].join(
      "",
    ),
  );
});

test("where there is no room for it, a column of lesser rank is left out", () => {
  expect(table(ROWS, COLUMNS, { width: 23, paint })).toBe(
    ["NAME            STATE\n", "nightly-report  active\n", "x               paused\n"].join(""),
  );
});

test("a column of lesser rank that says nothing is left out even where there is room", () => {
  const rows = ROWS.map((row) => ({ ...row, note: "-" }));
  expect(table(rows, COLUMNS, { width: 200, paint })).not.toContain("NOTE");
});

test("numbers stand below each other", () => {
  const columns: Column<number>[] = [{ title: "COUNT", of: String, align: "right" }];
  expect(table([7, 12345678], columns, { width: 80, paint })).toBe("   COUNT\n       7\n12345678\n");
});

test("colours do not count as width", () => {
  const columns: Column<Row>[] = [{ title: "STATE", of: ({ state }) => ({ text: state, tone: "good" }) }, COLUMNS[0]!];
  const lines = table(ROWS, columns, { width: 80, paint: painter(true) }).split("\n");
  expect(lines[1]).toBe("\u001b[32mactive\u001b[39m  nightly-report");
});

test("no rows are no lines", () => {
  expect(table([], COLUMNS, { width: 80, paint })).toBe("");
});

test("no line is ever wider than the terminal, whatever the cells hold", () => {
  const row = fc.record({
    name: fc.string({ unit: "grapheme", maxLength: 60 }),
    state: fc.string({ maxLength: 30 }),
    note: fc.string({ unit: "grapheme", maxLength: 100 }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 40, max: 200 }), (rows, width) => {
      const lines = table(rows, COLUMNS, { width, paint }).split("\n");
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(lines).toHaveLength(rows.length + 2);
    }),
  );
});
