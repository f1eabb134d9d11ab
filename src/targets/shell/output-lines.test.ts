import fc from "fast-check";
import { expect, test } from "vitest";
import { LOG_MESSAGE_MAX } from "../../contract/log-limits.ts";
import { Redaction } from "../redaction.ts";
import { OutputLines } from "./output-lines.ts";

function linesOf(pieces: (string | Buffer)[], redaction = Redaction.none): string[] {
  const lines = new OutputLines(redaction);
  return [...pieces.flatMap((piece) => [...lines.read(Buffer.from(piece as string))]), ...lines.end()];
}

test("lines are put together from whatever pieces arrive, and the last one need not end", () => {
  expect(linesOf(["one\ntw", "o\r\n", "\nlast"])).toEqual(["one", "two", "", "last"]);
  expect(linesOf(["one\n"])).toEqual(["one"]);
  expect(linesOf([])).toEqual([]);
});

test("the same text gives the same lines, however it is cut into pieces", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r", "s3cret") });
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const pieces: Buffer[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        pieces.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      const redaction = new Redaction([["S", "s3cret"]]);
      expect(linesOf(pieces, redaction)).toEqual(linesOf([bytes], redaction));
    }),
  );
});

test("bytes that are no text become replacement characters and cost nothing else", () => {
  expect(linesOf([Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a, 0x63])])).toEqual(["a\ufffd\ufffdb", "c"]);
});

test("a line longer than the log takes becomes several, cut at whole characters", () => {
  const long = "x".repeat(LOG_MESSAGE_MAX - 1);
  expect(linesOf([`${long}😀😀`, "end\nnext"])).toEqual([long, "😀😀end", "next"]);
  const lines = linesOf(["y".repeat(3 * LOG_MESSAGE_MAX)]);
  expect(lines.map(({ length }) => length)).toEqual([LOG_MESSAGE_MAX, LOG_MESSAGE_MAX, LOG_MESSAGE_MAX]);
});

test("a secret is taken out of a long line wherever it is cut, and whatever pieces it arrives in", () => {
  const secret = "0123456789abcdefghij";
  const redaction = new Redaction([["S", secret]]);
  for (let before = LOG_MESSAGE_MAX - 25; before <= LOG_MESSAGE_MAX + 5; before += 1) {
    const text = `${"x".repeat(before)}${secret}${"y".repeat(200)}`;
    for (const pieces of [[text], [text.slice(0, before + 7), text.slice(before + 7)]]) {
      const lines = linesOf(pieces, redaction);
      expect(lines.join("")).toBe(`${"x".repeat(before)}[secret S]${"y".repeat(200)}`);
    }
  }
});

test("a secret longer than a line is taken out as a whole", () => {
  const secret = Buffer.alloc(LOG_MESSAGE_MAX + 100, "abcdefg").toString();
  expect(linesOf([`${secret}tail\n`], new Redaction([["S", secret]])).join("")).toBe("[secret S]tail");
});
