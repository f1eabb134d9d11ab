import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventParser } from "./server-sent-events.ts";

function parse(...chunks: (string | Uint8Array)[]) {
  const parser = new EventParser();
  return chunks.flatMap((chunk) => parser.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
}

describe("a stream of server-sent events", () => {
  test("gives an event once its empty line came", () => {
    expect(parse("event: a\ndata: 1\n")).toEqual([]);
    expect(parse("event: a\ndata: 1\n\n")).toEqual([{ event: "a", data: "1", id: "" }]);
  });

  test.each([["\n"], ["\r\n"], ["\r"]])("may end its lines with %j", (end) => {
    const text = ["id: 7", "event: a", "data: 1", "", "data: 2", "", ": so that the last line end is seen to be whole"];
    expect(parse(text.join(end))).toEqual([
      { event: "a", data: "1", id: "7" },
      { event: "message", data: "2", id: "7" },
    ]);
  });

  test("joins the lines of its data, and keeps what is empty and all spaces but one", () => {
    expect(parse("data: a\ndata:b\ndata:  c\ndata\ndata:\n\n")).toEqual([
      { event: "message", data: "a\nb\n c\n\n", id: "" },
    ]);
  });

  test("passes over comments, unknown fields and events without data", () => {
    expect(parse(": ping\n\nevent: nothing\n\nwhat: ever\ndata: x\n\n")).toEqual([
      { event: "message", data: "x", id: "" },
    ]);
  });

  test("keeps the last id until the next one, also from an event without data, and an empty one clears it", () => {
    const ids = parse("id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\nid\ndata: d\n\nid: 3\u00004\ndata: e\n\n");
    expect(ids.map(({ id }) => id)).toEqual(["1", "1", "2", "", ""]);
  });

  test("may begin with a byte order mark", () => {
    expect(parse(new Uint8Array([0xef, 0xbb, 0xbf]), "data: x\n\n")).toEqual([{ event: "message", data: "x", id: "" }]);
  });

  test("says how long to wait before coming back, if that is a number", () => {
    const parser = new EventParser();
    parser.push(new TextEncoder().encode("retry: 2500\nretry: soon\n\n"));
    expect(parser.retryMs).toBe(2500);
  });

  test("is the same however its bytes are split", () => {
    const text =
      '﻿retry: 1\r\n\r\nid: 1\r\nevent: ünï\r\ndata: {"a":"🔑"}\r\n\r\n: c\rdata: x\rdata: y\r\rid: 2\ndata: z\n\n';
    const bytes = new TextEncoder().encode(text);
    const whole = parse(bytes);
    expect(whole.map(({ data }) => data)).toEqual(['{"a":"🔑"}', "x\ny", "z"]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(parse(...chunks)).toEqual(whole);
      }),
    );
  });

  test("does not collect a line for ever", () => {
    const parser = new EventParser();
    const chunk = new Uint8Array(1024 * 1024).fill(97);
    expect(() => {
      for (let i = 0; i < 10; i += 1) parser.push(chunk);
    }).toThrow("a line of more than");
  });
});
