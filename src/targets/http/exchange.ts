// One request and its answer on one connection, with everything that may go wrong in between.
//
// The question behind it is always the same: may the target have acted? Until the connection says that it begins to write
// (`onSend`), surely not, and a failure is harmless. From then on a byte may have left, and whatever ends the exchange
// without an answer leaves the matter in doubt: a reset, a timeout, an answer that is not HTTP.
//
// Promised: the exchange ends, at the latest with its timer, whatever the target does; no more of a body is awaited
// than is kept; a connection that is not in order is never used again.

import type { AttemptSignal } from "../port/attempt-abort.ts";
import type { AbortReason } from "../port.ts";
import type { RawAnswer } from "./answer.ts";
import type { AnswerHeaders } from "./answer-reader.ts";
import type { CallListener, Connection, WrittenRequest } from "./connection.ts";
import type { DialTimings } from "./dial.ts";
import type { Caller, Origin } from "./origins.ts";

export interface ExchangeOptions {
  timeoutMs: number;
  connectTimeoutMs: number;
  bodyKeptBytes: number;
  fresh: boolean;
  signal: AttemptSignal;
}

export interface ExchangeEnd {
  how:
    | { kind: "answered" }
    | { kind: "timeout"; of: "exchange" | "attempt" }
    | { kind: "aborted"; reason: AbortReason }
    | { kind: "failed"; error: Error };
  /** The first byte of the request may have left. */
  mayHaveLeft: boolean;
  /** Present as soon as there was a status, even if the body did not come to its end. */
  answer: RawAnswer | null;
  timings: DialTimings & { firstByteMs: number; totalMs: number };
}

// What is left of a body when enough of it is kept is read off for a moment, after the call has ended: that is cheaper
// than a new connection for the next call.
const LEFTOVER_BYTES_MAX = 256 * 1024;
const LEFTOVER_MS_MAX = 1_000;
const NOT_DIALLED: DialTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0 };

export class Exchange implements Caller, CallListener {
  readonly #origin: Origin;
  readonly #request: WrittenRequest;
  readonly #options: ExchangeOptions;
  readonly #startMs = performance.now();
  #resolve!: (end: ExchangeEnd) => void;
  #timer: NodeJS.Timeout | undefined;
  #connection: Connection | null = null;
  #hasEnded = false;
  #sentMs = 0;
  #firstByteMs = 0;
  #status = 0;
  #headers: AnswerHeaders = {};
  readonly #chunks: Buffer[] = [];
  #bodyBytes = 0;

  constructor(origin: Origin, request: WrittenRequest, options: ExchangeOptions) {
    this.#origin = origin;
    this.#request = request;
    this.#options = options;
  }

  get fresh(): boolean {
    return this.#options.fresh;
  }

  run(): Promise<ExchangeEnd> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(this.#onTimeout, this.#options.timeoutMs);
      this.#options.signal.addEventListener("abort", this.#onAbort);
      this.#origin.enter(this);
    });
  }

  start(connection: Connection): void {
    this.#connection = connection;
    connection.send(this.#request, this.#options.connectTimeoutMs, this);
  }

  turnAway(): void {
    this.#end({ kind: "aborted", reason: "shutdown" });
  }

  onSend(): void {
    this.#sentMs = performance.now();
  }

  onHead(status: number, headers: AnswerHeaders): void {
    this.#firstByteMs = performance.now() - this.#sentMs;
    this.#status = status;
    this.#headers = headers;
  }

  onBody(chunk: Buffer): void {
    const room = this.#options.bodyKeptBytes - this.#bodyBytes;
    this.#bodyBytes += chunk.length;
    if (room > 0) this.#chunks.push(Buffer.from(chunk.length <= room ? chunk : chunk.subarray(0, room)));
    if (chunk.length > room) this.#readOffLeftover();
  }

  onEnd(): void {
    this.#end({ kind: "answered" });
    this.#release("in order");
  }

  onError(error: Error): void {
    this.#end({ kind: "failed", error });
    this.#release("broken");
  }

  readonly #onTimeout = () => {
    this.#end({ kind: "timeout", of: "exchange" });
    this.#release("broken");
  };

  readonly #onAbort = () => {
    const reason = this.#options.signal.reason as AbortReason;
    this.#end(reason === "timeout" ? { kind: "timeout", of: "attempt" } : { kind: "aborted", reason });
    this.#release("broken");
  };

  #readOffLeftover(): void {
    if (!this.#hasEnded) {
      this.#end({ kind: "answered" });
      this.#timer = setTimeout(() => this.#release("broken"), LEFTOVER_MS_MAX);
    }
    if (this.fresh || this.#bodyBytes > LEFTOVER_BYTES_MAX) this.#release("broken");
  }

  /** Ends the exchange for the one who waits for it; the connection may still be read from. */
  #end(how: ExchangeEnd["how"]): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#resolve(this.#summary(how));
  }

  #release(state: "in order" | "broken"): void {
    clearTimeout(this.#timer);
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) this.#origin.leave(this);
    else if (state === "in order" && !this.fresh) this.#origin.giveBack(connection);
    else this.#origin.discard(connection);
  }

  #summary(how: ExchangeEnd["how"]): ExchangeEnd {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const dialled = this.#connection?.dialled ?? NOT_DIALLED;
    const isCut = how.kind !== "answered" || this.#bodyBytes > body.length;
    return {
      how,
      mayHaveLeft: this.#sentMs !== 0,
      answer: this.#status === 0 ? null : { status: this.#status, headers: this.#headers, body, isCut },
      timings: {
        dnsMs: tenths(dialled.dnsMs),
        connectMs: tenths(dialled.connectMs),
        tlsMs: tenths(dialled.tlsMs),
        firstByteMs: tenths(this.#firstByteMs),
        totalMs: tenths(performance.now() - this.#startMs),
      },
    };
  }
}

/** More digits would be noise. */
const tenths = (ms: number) => Math.round(ms * 10) / 10;
