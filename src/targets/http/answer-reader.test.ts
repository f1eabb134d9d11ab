// What the reader makes of bytes is held against what Node's own client makes of them, which reads with llhttp.

import http from "node:http";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnswerHeaders, AnswerReader, NotAnAnswer } from "./answer-reader.ts";

const WANTED = new Set(["content-type", "x-a"]);
const HEAD_MAX = 1_000;

interface Read {
  status: number | null;
  headers: AnswerHeaders;
  body: string;
  /** Null: not whole. */
  end: "another may follow" | "last" | null;
  refused: string | null;
  keepAliveSeconds: number | null;
}

/** Reads the pieces and then the end of the connection. */
function read(...pieces: string[]): Read {
  const seen: Read = { status: null, headers: {}, body: "", end: null, refused: null, keepAliveSeconds: null };
  const listener = {
    onHead: (status: number, headers: AnswerHeaders) => void Object.assign(seen, { status, headers }),
    onBody: (chunk: Buffer) => {
      seen.body += chunk.toString("latin1");
    },
    onEnd: (isLast: boolean) => {
      seen.end = isLast ? "last" : "another may follow";
    },
  };
  const reader = new AnswerReader(listener, { headBytesMax: HEAD_MAX, wanted: WANTED });
  try {
    for (const piece of pieces) reader.read(Buffer.from(piece, "latin1"));
    reader.close();
  } catch (error) {
    if (!(error instanceof NotAnAnswer)) throw error;
    seen.refused = error.message;
  }
  seen.keepAliveSeconds = reader.keepAliveSeconds;
  return seen;
}

const answer = (headers: string[], body = "", first = "HTTP/1.1 200 OK") => [first, ...headers, "", body].join("\r\n");
const chunked = (...chunks: string[]) => answer(["transfer-encoding: chunked"], chunks.join("\r\n"));

describe("where an answer ends", () => {
  test.each([
    ["by its length", answer(["content-length: 3"], "abc"), "abc", "another may follow"],
    ["by a length of nothing", answer(["content-length: 0"]), "", "another may follow"],
    ["by its chunks", chunked("3", "abc", '2;x=y;z;q="a b"', "de", "0", "", ""), "abcde", "another may follow"],
    [
      "by its chunks and trailers",
      chunked("A", "0123456789", "0", "x-t: 1", "", ""),
      "0123456789",
      "another may follow",
    ],
    ["with the connection", answer([], "abc"), "abc", "last"],
    ["with the connection, however it is encoded", answer(["transfer-encoding: gzip"], "abc"), "abc", "last"],
    ["at once, having no content", answer([], "", "HTTP/1.1 204 No Content"), "", "another may follow"],
    ["at once, being known", answer(["content-length: 9"], "", "HTTP/1.1 304 x"), "", "another may follow"],
  ])("%s", (_, bytes, body, end) => {
    expect(read(bytes)).toMatchObject({ body, end, refused: null });
    expect(read(...bytes)).toMatchObject({ body, end, refused: null });
  });

  test.each([
    ["within its head", "HTTP/1.1 200 OK\r\nx-a: 1\r\n"],
    ["within its length", answer(["content-length: 4"], "abc")],
    ["within a chunk", chunked("4", "abc")],
    ["before the end of a chunk", chunked("3", "abc")],
    ["before the last chunk", chunked("3", "abc", "")],
    ["within its trailers", chunked("0", "x-t: 1", "")],
    ["before it began", ""],
  ])("is not where the connection ends %s", (_, bytes) => {
    expect(read(bytes)).toMatchObject({ end: null, refused: null });
  });

  test.each([
    ["two lengths", answer(["content-length: 1", "content-length: 1"], "a")],
    ["a list of lengths", answer(["content-length: 1, 1"], "a")],
    ["a length that is none", answer(["content-length: 0x1"], "a")],
    ["a negative length", answer(["content-length: -1"], "a")],
    ["an empty length", answer(["content-length:"], "a")],
    ["a length beside chunks", answer(["content-length: 1", "transfer-encoding: chunked"], "a")],
    ["an encoding without a name", answer(["transfer-encoding:"], "a")],
    ["chunks within another encoding", answer(["transfer-encoding: chunked, gzip"], "0\r\n\r\n")],
    ["a chunk without a size", chunked("", "abc", "0", "", "")],
    ["a chunk of a size that is none", chunked("3x", "abc", "0", "", "")],
    ["a chunk with an extension that is none", chunked("3;", "abc", "0", "", "")],
    ["a chunk that is longer than it says", chunked("2", "abc", "0", "", "")],
    ["a chunk of a size beyond all numbers", chunked("f".repeat(14), "a")],
    ["lines that end in other ways", "HTTP/1.1 200 OK\nx-a: 1\n\r\n\r\n"],
    ["chunks whose lines end in other ways", answer(["transfer-encoding: chunked"], "3\nabc\r\n0\r\n\r\n")],
    ["a header that goes on in the next line", answer(["x-a: 1", " 2", "content-length: 0"])],
    ["a blank before a colon", answer(["content-length : 0"])],
    ["a header without a name", answer([": 0"])],
    ["a line without a colon", answer(["x-a"])],
    ["a control character", answer(["x-a: a\u0000b"])],
    ["an unknown version", answer([], "", "HTTP/2.0 200 OK")],
    ["a status that is none", answer([], "", "HTTP/1.1 2000 OK")],
    ["another protocol, which is known before its lines end", "SSH-2.0-OpenSSH"],
    ["a 100 that nobody asked for", answer([], "", "HTTP/1.1 100 Continue")],
    ["a 101 that nobody asked for", answer(["upgrade: x"], "", "HTTP/1.1 101 Switching Protocols")],
    ["a trailer that is none", chunked("0", "x", "", "")],
  ])("is refused rather than guessed: %s", (_, bytes) => {
    for (const pieces of [[bytes], [...bytes]])
      expect(read(...pieces)).toMatchObject({ refused: expect.stringContaining("the answer is not valid HTTP") });
  });

  test("what announces an answer is none", () => {
    const early = answer(["link: </x>"], "", "HTTP/1.1 103 Early Hints");
    expect(read(early + answer(["content-length: 2"], "ok"))).toMatchObject({ status: 200, body: "ok" });
  });
});

describe("whether another answer may follow on the connection", () => {
  test.each([
    [["content-length: 0"], "HTTP/1.1 200 OK", "another may follow"],
    [["content-length: 0", "Connection: Keep-Alive"], "HTTP/1.1 200 OK", "another may follow"],
    [["content-length: 0", "connection: x, Close"], "HTTP/1.1 200 OK", "last"],
    [["content-length: 0", "connection: x", "connection: close"], "HTTP/1.1 200 OK", "last"],
    [["content-length: 0"], "HTTP/1.0 200 OK", "last"],
    [["content-length: 0", "connection: keep-alive"], "HTTP/1.0 200 OK", "another may follow"],
  ])("%j of %s", (headers, first, end) => {
    expect(read(answer(headers, "", first))).toMatchObject({ end });
  });

  test("not if more came than was asked for", () => {
    const whole = answer(["content-length: 2"], "ok");
    for (const more of ["x", "\r\n", whole]) expect(read(whole + more)).toMatchObject({ body: "ok", end: "last" });
  });

  test.each([
    ["timeout=5", 5],
    ["max=100, timeout=72", 72],
    ["timeout = 3", 3],
    ["max=5", null],
    ["xtimeout=5", null],
  ])("as long as %s says", (value, seconds) => {
    expect(read(answer([`keep-alive: ${value}`, "content-length: 0"])).keepAliveSeconds).toBe(seconds);
  });
});

describe("headers", () => {
  test("are those that are wanted, named in lower case, trimmed of blanks, joined if there are several", () => {
    const bytes = answer(["X-A:  1\t", "x-a:2\u00a0", "x-b: 3", "Content-Type: text/plain", "content-length: 0"]);
    expect(read(bytes).headers).toEqual({ "x-a": "1, 2\u00a0", "content-type": "text/plain" });
  });

  test("beyond measure are refused, whole or in parts, and so are lines between chunks", () => {
    for (const bytes of [answer([`x-a: ${"y".repeat(HEAD_MAX)}`]), `HTTP/1.1 200 OK\r\nx-a: ${"y".repeat(5000)}`])
      for (const pieces of [[bytes], [...bytes]])
        expect(read(...pieces).refused).toBe("the answer's headers are too large");
    for (const bytes of [
      chunked(`1;${"y".repeat(HEAD_MAX)}`, "a"),
      chunked("0", ...Array(100).fill("x-t: 0123456789"), "", ""),
    ])
      expect(read(...bytes).refused).toContain("the answer is not valid HTTP");
  });
});

describe("whatever the bytes", () => {
  const text = fc.string({ unit: fc.constantFrom(..."aZ09 \t\r\n:;,=xé\u0000\u007f"), maxLength: 12 });
  const status = fc.constantFrom(200, 201, 202, 204, 299, 304, 404, 500, 103);
  const header = fc.oneof(
    fc
      .constantFrom("content-length", "Transfer-Encoding", "connection", "keep-alive", "x-a")
      .chain((name) =>
        fc
          .constantFrom("0", "3", "10", "chunked", "gzip, chunked", "close", "keep-alive", "timeout=5", "")
          .map((value) => `${name}: ${value}`),
      ),
    fc.tuple(text, text).map(([name, value]) => `${name}:${value}`),
  );
  const body = fc.oneof(
    fc.constantFrom(
      "",
      "abc",
      "0123456789",
      "3\r\nabc\r\n0\r\n\r\n",
      "0\r\nx-t: 1\r\n\r\n",
      'a;q=1;r="s t"\r\n0123456789\r\n0\r\n\r\n',
    ),
    text,
  );
  const bytes = fc
    .tuple(fc.constantFrom("1.1", "1.0"), status, fc.array(header, { maxLength: 4 }), body, body)
    .map(([version, code, headers, first, second]) =>
      answer(headers, first + second, `HTTP/${version} ${code} Some Words`),
    );
  const spoilt = fc.tuple(bytes, fc.nat(), text, fc.nat({ max: 3 })).map(([whole, at, put, cut]) => {
    const place = at % (whole.length + 1);
    return whole.slice(0, place) + put + whole.slice(place + cut);
  });

  test("the pieces they come in make no difference", () => {
    const sizes = fc.array(fc.nat({ max: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(bytes, spoilt), sizes, (whole, [...lengths]) => {
        const inPieces = read(...cut(whole, lengths));
        const atOnce = read(whole);
        expect(inPieces.refused === null).toBe(atOnce.refused === null);
        expect(inPieces.end === null).toBe(atOnce.end === null);
        if (atOnce.refused === null) expect({ ...inPieces, end: null }).toEqual({ ...atOnce, end: null });
      }),
      { numRuns: 2_000 },
    );
  });

  test("an answer that is taken for whole is one that Node takes for whole, with the same status and body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, spoilt), async (whole) => {
        const ours = read(whole);
        if (ours.end === null || ours.refused !== null) return;
        expect(await readByNode(withoutRest(whole))).toEqual({ status: ours.status, body: ours.body });
      }),
      { numRuns: 2_000 },
    );
  });
});

function cut(whole: string, lengths: number[]): string[] {
  const ends = lengths.map((_, index) => lengths.slice(0, index + 1).reduce((sum, length) => sum + length, 0));
  return [0, ...ends].map((start, index) => whole.slice(start, ends[index]));
}

/** The answer without what follows it. */
function withoutRest(whole: string): string {
  let isOver = false;
  const onEnd = () => {
    isOver = true;
  };
  const options = { headBytesMax: HEAD_MAX, wanted: WANTED };
  const reader = new AnswerReader({ onHead: () => {}, onBody: () => {}, onEnd }, options);
  for (let at = 0; at < whole.length; at++) {
    reader.read(Buffer.from(whole[at]!, "latin1"));
    if (isOver) return whole.slice(0, at + 1);
  }
  return whole;
}

/** What Node's client makes of the bytes; null if it is not a whole answer. */
function readByNode(bytes: string): Promise<{ status: number; body: string } | null> {
  return new Promise((resolve) => {
    const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    const request = http.request({ method: "POST", createConnection: () => connection as never });
    request.on("error", () => resolve(null));
    request.on("upgrade", () => resolve(null));
    request.on("close", () => resolve(null));
    request.on("response", (response) => {
      let body = "";
      response.setEncoding("latin1").on("data", (part) => {
        body += part;
      });
      response.on("error", () => resolve(null));
      response.on("end", () => resolve(response.complete ? { status: response.statusCode!, body } : null));
    });
    request.end(() => {
      connection.push(Buffer.from(bytes, "latin1"));
      connection.push(null);
    });
  });
}
