// A `fetch` for what the program itself has to ask, such as the keys and tokens of a sign-in provider. Its address was
// written by people too, and may be named by an answer, so it goes the way of all calls: same guard, same resolver. Each
// has a connection of its own: what jobs' targets did with theirs must not matter to who signs in.
//
// What differs from the real one: redirects are never followed, whatever `init.redirect` says; an answer has a largest
// size and a latest moment; of its headers there are those that are kept of a target's answer (answer.ts).

import { STATUS_CODES } from "node:http";
import { HTTP_METHODS } from "../../contract/target.ts";
import type { RawAnswer } from "./answer.ts";
import type { WrittenRequest } from "./connection.ts";
import { DialError } from "./dial.ts";
import { Exchange, type ExchangeEnd } from "./exchange.ts";
import type { Origins } from "./origins.ts";
import { describeFailure } from "./report.ts";
import { headerLine } from "./request-template.ts";

/** Rejects as `fetch` does: with a TypeError, with the signal's reason, or with a "TimeoutError". */
export type GuardedFetch = (url: string | URL, init?: GuardedFetchInit) => Promise<Response>;

/** As that of `fetch`, but what is not there may also be undefined: that is how sign-in libraries write it. */
export interface GuardedFetchInit extends Omit<RequestInit, "body" | "signal"> {
  body?: RequestInit["body"] | undefined;
  signal?: AbortSignal | null | undefined;
}

export interface GuardedFetchOptions {
  userAgent: string;
  timeoutMs?: number;
  bodyBytesMax?: number;
}

/** Where a request ends is not for its headers to say, nor whom it is for. */
const SET_BY_CONNECTION =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;
const SHUTTING_DOWN = "this node is shutting down";
/** Statuses that a `Response` with a body cannot have. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

export function guardedFetch(origins: Origins, options: GuardedFetchOptions): GuardedFetch {
  const { userAgent, timeoutMs = 10_000, bodyBytesMax = 1024 * 1024 } = options;
  return async (url, { signal: given, body = null, ...init } = {}) => {
    const request = new Request(url, { ...init, body });
    const { origin } = new URL(request.url);
    const written = await write(request, userAgent);
    const signal = given ?? new AbortController().signal;
    signal.throwIfAborted();
    if (origins.isDestroyed) throw failed(origin, SHUTTING_DOWN);
    const limits = { timeoutMs, connectTimeoutMs: timeoutMs, bodyKeptBytes: bodyBytesMax, fresh: true };
    const end = await new Exchange(origins.get(origin), written, { ...limits, signal }).run();
    signal.throwIfAborted();
    if (origins.isDestroyed && end.how.kind !== "answered") throw failed(origin, SHUTTING_DOWN);
    return responseOf(origin, answerOf(origin, end, timeoutMs), bodyBytesMax);
  };
}

async function write(request: Request, userAgent: string): Promise<WrittenRequest> {
  const { protocol, pathname, search, host } = new URL(request.url);
  const { method } = request;
  if (protocol !== "http:" && protocol !== "https:")
    throw new TypeError(`"${protocol}" is not a scheme that can be called; use http: or https:`);
  if (!HTTP_METHODS.some((known) => known === method))
    throw new TypeError(`the method "${method}" is not one of ${HTTP_METHODS.join(", ")}`);
  const body = Buffer.from(await request.arrayBuffer());
  let head = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  if (!request.headers.has("user-agent")) head += headerLine("user-agent", userAgent);
  for (const [name, value] of request.headers) {
    if (SET_BY_CONNECTION.test(name))
      throw new TypeError(`the header "${name}" is set by the connection; leave it out`);
    head += headerLine(name, value);
  }
  if (method !== "GET") head += `content-length: ${body.length}\r\n`;
  // Some servers do not read the body of a DELETE, and would take it for the next request.
  return { head: `${head}\r\n`, body, isReusable: method !== "DELETE" };
}

/** The whole answer, or what stands for it. */
function answerOf(origin: string, { how, answer }: ExchangeEnd, timeoutMs: number): RawAnswer {
  if (
    how.kind === "timeout" ||
    (how.kind === "failed" && how.error instanceof DialError && how.error.kind === "timeout")
  )
    throw new DOMException(`${origin}: no whole answer within ${timeoutMs} ms`, "TimeoutError");
  if (how.kind === "failed") throw failed(origin, describeFailure(how.error), how.error);
  if (how.kind === "aborted" || answer === null) throw failed(origin, "the call was called off");
  return answer;
}

function responseOf(origin: string, { status, headers, body, isCut }: RawAnswer, bodyBytesMax: number): Response {
  if (isCut) throw failed(origin, `the answer is longer than ${bodyBytesMax} bytes`);
  const { "content-encoding": encoding = "identity" } = headers;
  if (encoding !== "identity") throw failed(origin, `the answer is encoded as ${encoding}, which was not offered`);
  if (status > 599) throw failed(origin, `the answer has the status ${status}, which means nothing`);
  return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(body), {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, value ?? ""]),
  });
}

function failed(origin: string, what: string, cause?: Error): TypeError {
  return new TypeError(`${origin}: ${what}`, { cause });
}
