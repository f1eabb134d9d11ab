// A target that tells what was done to it: a process of its own, so that nothing that happens to a node or to the test can
// falsify what it saw. It answers as the path asks, and appends one line per call to its file before the answer leaves: an
// execution that anybody knows to have succeeded is in the file.
import { openSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One line of the file. Times are milliseconds since 1970; `status` 0: the caller was gone before the answer. */
export interface Call {
  id: string;
  attempt: number;
  job: string;
  scheduledAt: string;
  in: number;
  out: number;
  status: number;
  body: string;
}

interface Answer {
  status: number;
  type?: string;
  body: string | Buffer;
}

const BODY_MAX = 1_000;
const file = openSync(process.argv[2]!, "a");
let underway = 0;

const server = createServer((request, response) => {
  if (request.url === "/underway") {
    response.end(String(underway));
    return;
  }
  underway += 1;
  const arrived = Date.now();
  const parts: Buffer[] = [];
  let told = false;
  const tell = (status: number) => {
    if (told) return;
    told = true;
    writeSync(file, `${JSON.stringify(line(request, { arrived, status, body: Buffer.concat(parts).toString() }))}\n`);
  };
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => void answer(request, response, tell));
  response.on("close", () => {
    underway -= 1;
    tell(0);
  });
});

function line(request: IncomingMessage, seen: { arrived: number; status: number; body: string }): Call {
  const { headers } = request;
  return {
    id: String(headers["punctual-execution-id"]),
    attempt: Number(headers["punctual-attempt"]),
    job: String(headers["punctual-job"]),
    scheduledAt: String(headers["punctual-scheduled-at"]),
    in: seen.arrived,
    out: Date.now(),
    status: seen.status,
    body: seen.body.slice(0, BODY_MAX),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, tell: (status: number) => void) {
  let [behaviour, value, ...rest] = request.url!.split("/").slice(1);
  if (behaviour === "slow") {
    // `/slow/300/nul`: after 300 ms as `/nul`.
    await new Promise((resolve) => setTimeout(resolve, Number(value)));
    [behaviour, value] = rest;
  }
  if (behaviour === "hang" || response.destroyed) return;
  if (behaviour === "reset") {
    tell(-1);
    request.socket.resetAndDestroy();
    return;
  }
  const { status, type = "application/json", body } = answerOf(behaviour, value, request);
  tell(status);
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** The answers that databases choke on are valid HTTP, every one. */
function answerOf(behaviour: string | undefined, value: string | undefined, request: IncomingMessage): Answer {
  switch (behaviour) {
    case "fail":
      // So many attempts fail; the next one succeeds.
      return { status: Number(request.headers["punctual-attempt"]) <= Number(value) ? 503 : 200, body: "{}" };
    case "nul":
      return { status: 200, type: "text/plain", body: "before\u0000after" };
    case "nul-json":
      return { status: 200, body: '{"value":"before\\u0000after"}' };
    case "half-surrogate":
      return { status: 200, type: "text/plain", body: Buffer.from([0x61, 0xed, 0xa0, 0xbd, 0x62]) };
    case "half-surrogate-json":
      return { status: 200, body: '{"value":"before\\ud83dafter"}' };
    case "huge":
      return { status: 200, type: "text/plain", body: "x".repeat(Number(value) * 1_000_000) };
    case "huge-json":
      return { status: 200, body: JSON.stringify({ value: "x".repeat(Number(value) * 1_000_000) }) };
    case "nested-json":
      return { status: 200, body: `${"[".repeat(5_000)}${"]".repeat(5_000)}` };
    case "huge-number":
      return { status: 200, body: `{"value":1e400,"other":${"9".repeat(2_000)}}` };
    default:
      return { status: 200, body: '{"ok":true}' };
  }
}

// A connection that is closed while the next call is on its way would be a fault that no test asked for.
server.keepAliveTimeout = 600_000;
server.requestTimeout = 0;
server.listen({ port: 0, host: "127.0.0.1", backlog: 2_000 }, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
// The test holds the other end; when it is gone, however it ended, so is this.
process.stdin.resume().on("end", () => process.exit(0));
