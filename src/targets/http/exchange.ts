// One request and its answer on one connection, with everything that may go wrong in between.
//
// The question behind it is always the same: may the target have acted? Until undici says that it begins to write
// (`onRequestStart`), surely not, and a failure is harmless. From then on a byte may have left, and whatever ends the
// exchange without an answer leaves the matter in doubt: a reset, a timeout, an answer that is not HTTP.
//
// Promised: the exchange ends, at the latest with its timer, whatever the target does; it reads no more of the body
// than is kept (and a little to keep the connection, see below); a connection that is not in order is never used again.

import type { Dispatcher } from "undici";
import type { AbortReason } from "../port.ts";
import type { AnswerHeaders, RawAnswer } from "./answer.ts";
import type { Connection } from "./connection.ts";
import type { DialTimings } from "./dial.ts";
import type { Caller, Origin } from "./origins.ts";

export interface ExchangeLimits {
  timeoutMs: number;
  connectTimeoutMs: number;
  bodyKeptBytes: number;
  /** A body that says it is no longer than this is read to its end, so that the connection can be used again. */
  bodyReadBytes: number;
}

export interface ExchangeEnd {
  how:
    | { kind: "answered" }
    | { kind: "timeout" }
    | { kind: "aborted"; reason: AbortReason }
    | { kind: "failed"; error: Error };
  /** The first byte of the request may have left. */
  mayHaveLeft: boolean;
  /** Present as soon as there was a status, even if the body did not come to its end. */
  answer: RawAnswer | null;
  timings: DialTimings & { firstByteMs: number; totalMs: number };
}

const NOT_DIALLED: DialTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0 };

export class Exchange implements Caller, Dispatcher.DispatchHandler {
  readonly fresh: boolean;
  readonly #origin: Origin;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #limits: ExchangeLimits;
  readonly #signal: AbortSignal;
  readonly #startMs = performance.now();
  #resolve!: (end: ExchangeEnd) => void;
  #timer: NodeJS.Timeout | undefined;
  #connection: Connection | null = null;
  #isOver = false;
  #sentMs = 0;
  #firstByteMs = 0;
  #status = 0;
  #headers: AnswerHeaders = {};
  #chunks: Buffer[] = [];
  #keptBytes = 0;
  #isCut = false;

  constructor(
    origin: Origin,
    request: Dispatcher.DispatchOptions,
    limits: ExchangeLimits,
    options: { fresh: boolean; signal: AbortSignal },
  ) {
    this.#origin = origin;
    this.#request = request;
    this.#limits = limits;
    this.fresh = options.fresh;
    this.#signal = options.signal;
  }

  run(): Promise<ExchangeEnd> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#signal.aborted) return this.#onAbort();
      this.#timer = setTimeout(this.#onTimeout, this.#limits.timeoutMs);
      this.#signal.addEventListener("abort", this.#onAbort);
      this.#origin.enter(this);
    });
  }

  start(connection: Connection): void {
    this.#connection = connection;
    connection.send(this.#request, this.#limits.connectTimeoutMs, this);
  }

  turnAway(): void {
    this.#end({ kind: "failed", error: new Error("the node is shutting down") });
  }

  onRequestStart(): void {
    this.#sentMs = performance.now();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // 1xx announces the answer; it is none.
    if (status < 200) return;
    this.#firstByteMs = performance.now() - this.#sentMs;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    const room = this.#limits.bodyKeptBytes - this.#keptBytes;
    if (room > 0) this.#chunks.push(chunk.length <= room ? chunk : chunk.subarray(0, room));
    this.#keptBytes += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.#isCut = true;
    // Nobody needs the rest. A body of modest size is let run out all the same: that is cheaper than a new connection.
    if (!(Number(this.#headers["content-length"]) <= this.#limits.bodyReadBytes)) this.#end({ kind: "answered" });
  }

  onResponseEnd(): void {
    this.#end({ kind: "answered" }, "connection in order");
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end({ kind: "failed", error });
  }

  readonly #onTimeout = () => this.#end({ kind: "timeout" });

  readonly #onAbort = () => {
    const reason = this.#signal.reason as AbortReason;
    this.#end(reason === "timeout" ? { kind: "timeout" } : { kind: "aborted", reason });
  };

  #end(how: ExchangeEnd["how"], connection?: "connection in order"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    const end = this.#summary(how);
    if (this.#connection === null) this.#origin.leave(this);
    else if (connection === "connection in order" && !this.fresh) this.#origin.giveBack(this.#connection);
    else this.#origin.discard(this.#connection);
    this.#resolve(end);
  }

  #summary(how: ExchangeEnd["how"]): ExchangeEnd {
    const hasAnswer = this.#status !== 0;
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const isCut = this.#isCut || how.kind !== "answered";
    return {
      // All that is kept of the answer was there before the end came: the rest was only being read off.
      how: hasAnswer && this.#isCut ? { kind: "answered" } : how,
      mayHaveLeft: this.#sentMs !== 0,
      answer: hasAnswer ? { status: this.#status, headers: this.#headers, body, isCut } : null,
      timings: {
        ...(this.#connection?.dialled ?? NOT_DIALLED),
        firstByteMs: this.#firstByteMs,
        totalMs: performance.now() - this.#startMs,
      },
    };
  }
}
