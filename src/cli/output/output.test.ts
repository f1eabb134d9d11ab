import { expect, test } from "vitest";
import { Output, type OutputOptions } from "./output.ts";

class Page {
  text = "";
  isTTY?: boolean;
  columns?: number;

  constructor({ terminal = false, columns }: { terminal?: boolean; columns?: number } = {}) {
    if (terminal) this.isTTY = true;
    if (columns !== undefined) this.columns = columns;
  }

  write(text: string): void {
    this.text += text;
  }
}

function stage(options: Partial<OutputOptions> & { terminal?: boolean; columns?: number } = {}) {
  const { terminal = false, columns = 80, ...rest } = options;
  const stdout = new Page(terminal ? { terminal, columns } : {});
  const stderr = new Page(terminal ? { terminal, columns } : {});
  const now = () => new Date("2026-12-01T12:00:00Z");
  const out = new Output({ json: false, colour: true, environment: {}, stdout, stderr, now, ...rest });
  return { out, stdout, stderr };
}

const COLUMNS = [{ title: "NAME", of: (name: string) => name, min: 4 }];

test("with --json, standard output holds JSON and nothing else", () => {
  const { out, stdout, stderr } = stage({ json: true });
  out.showList({ items: ["a"], nextCursor: "more" }, COLUMNS, { empty: "none" });
  out.show({ b: 1 }, () => "words");
  out.showLine({ c: 2 }, () => "words");
  expect(stdout.text).toBe('{\n  "items": [\n    "a"\n  ],\n  "nextCursor": "more"\n}\n{\n  "b": 1\n}\n{"c":2}\n');
  expect(stderr.text).toBe("");
});

test("an empty list says what to do next, beside the answer and not in it", () => {
  const { out, stdout, stderr } = stage();
  out.showList({ items: [], nextCursor: null }, COLUMNS, { empty: "Make one." });
  expect({ out: stdout.text, err: stderr.text }).toEqual({ out: "", err: "Make one.\n" });
});

test("a list that goes on says so", () => {
  const { out, stdout, stderr } = stage();
  out.showList({ items: ["a"], nextCursor: "x" }, COLUMNS, { empty: "" });
  expect(stdout.text).toBe("NAME\na\n");
  expect(stderr.text).toContain("--all");
});

test("colours go to a terminal only, and not to one that does not want them", () => {
  const painted = (options: Parameters<typeof stage>[0]) => stage(options).out.paint("bad", "x") !== "x";
  expect(painted({ terminal: true })).toBe(true);
  expect(painted({ terminal: false })).toBe(false);
  expect(painted({ terminal: true, colour: false })).toBe(false);
  expect(painted({ terminal: true, environment: { NO_COLOR: "1" } })).toBe(false);
  expect(painted({ terminal: true, environment: { TERM: "dumb" } })).toBe(false);
});

test("times are told to people and written for programs", () => {
  const instant = "2026-12-01T12:03:00.000Z";
  expect(stage({ terminal: true }).out.time(instant)).toBe("in 3 m");
  expect(stage({ terminal: true }).out.timeInFull(instant)).toBe(`${instant} (in 3 m)`);
  expect(stage().out.time(instant)).toBe(instant);
  expect(stage().out.time(null)).toBe("-");
});

test("the width is the terminal's, or what COLUMNS says, or without end", () => {
  expect(stage({ terminal: true, columns: 100 }).out.width).toBe(100);
  expect(stage({ terminal: true, columns: 0 }).out.width).toBe(80);
  expect(stage({ environment: { COLUMNS: "72" } }).out.width).toBe(72);
  expect(stage({ environment: { COLUMNS: "many" } }).out.width).toBe(Number.POSITIVE_INFINITY);
});

test("what is said beside the answer is broken between words at a terminal, and whole elsewhere", () => {
  const words = "one two three four five six seven";
  const seen = stage({ terminal: true, columns: 20 });
  seen.out.note(words);
  seen.out.noteJson({ words });
  expect(seen.stderr.text).toBe(`one two three four\nfive six seven\n{"words":"${words}"}\n`);
  const unseen = stage();
  unseen.out.note(words);
  expect(unseen.stderr.text).toBe(`${words}\n`);
});

test("progress is seen at a terminal only, and gone before anything else is said", () => {
  const seen = stage({ terminal: true, columns: 20 });
  seen.out.progress("a very long line of progress that goes on");
  seen.out.note("done");
  expect(seen.stderr.text).toBe("a very long line of\r\u001b[Kdone\n");
  const unseen = stage();
  unseen.out.progress("working");
  expect(unseen.stderr.text).toBe("");
});
