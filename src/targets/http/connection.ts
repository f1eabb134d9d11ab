// One connection to an origin, used by one call at a time.
//
// It is spoken to directly, over the socket, because a general client does a great deal more for a call than these calls
// need, and doing it took longer than everything else about them. What is needed is little: a request is one piece of text
// and a body that is known beforehand, nothing is sent before the last answer has ended, and no redirect is followed.
//
// Promised: a request is written at most once. A failure before `onSend` has surely sent nothing; from then on a byte may
// have left. A connection that another call has used may have been closed by the target, or may have brought what nobody
// asked for, without this process knowing of it yet. So the event loop gets a turn to tell before the request is written,
// and if the connection is gone by then, another one is dialled.

import type net from "node:net";
import { KEPT_HEADERS } from "./answer.ts";
import { type AnswerHeaders, type AnswerListener, AnswerReader } from "./answer-reader.ts";
import type { Dial, DialListener, Dialler, DialTimings, Place, TlsSession } from "./dial.ts";

export interface ConnectionOptions {
  /** How long an idle connection is kept when the target does not say. */
  keepAliveMs: number;
  /** And at most, whatever the target says. */
  keepAliveMaxMs: number;
  /** Largest headers of an answer. */
  headerBytesMax: number;
}

/** A request as it is written. */
export interface WrittenRequest {
  /** Request line and headers with the blank line after them, in Latin-1. */
  head: string;
  body: Buffer;
  /** The connection may carry another call afterwards. */
  isReusable: boolean;
}

/** Who hears how a call goes. Of `onEnd` and `onError` one is called, once. */
export interface CallListener {
  /** From now on a byte of the request may have left. */
  onSend(): void;
  onHead(status: number, headers: AnswerHeaders): void;
  /** Lent, like all bytes of a connection: what is to be kept has to be copied. */
  onBody(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** The connection ended within an answer, or before it. */
export class ClosedEarly extends Error {
  constructor() {
    super("the connection was closed before the answer was complete");
    this.name = "ClosedEarly";
  }
}

// Made once: the trace of where a connection was closed helps nobody and costs more than closing it.
const CLOSED = new Error("the connection was closed by its owner");
// A target that says for how long it keeps a connection closes it that moment; a request must not be on its way then.
const KEEP_ALIVE_MARGIN_MS = 2_000;
// One piece of text up to here, which is one system call and no copy; longer bodies are handed over beside it.
const JOINED_BYTES_MAX = 16_384;

interface Asking {
  request: WrittenRequest;
  listener: CallListener;
  connectTimeoutMs: number;
}

export class Connection implements AnswerListener, DialListener {
  readonly #place: Place;
  readonly #sessions: TlsSession;
  readonly #dialler: Dialler;
  readonly #options: ConnectionOptions;
  readonly #reader: AnswerReader;
  #onClosed = () => {};
  #dial: Dial | null = null;
  #socket: net.Socket | null = null;
  #error: Error | null = null;
  #asking: Asking | null = null;
  #isSent = false;
  /** The phases of the dial made for the current call; null if the connection was there already. */
  dialled: DialTimings | null = null;
  /** An idle connection must not be used after this moment. */
  usableUntilMs = 0;

  constructor(place: Place, sessions: TlsSession, dialler: Dialler, options: ConnectionOptions) {
    this.#place = place;
    this.#sessions = sessions;
    this.#dialler = dialler;
    this.#options = options;
    this.#reader = new AnswerReader(this, { headBytesMax: options.headerBytesMax, wanted: KEPT_HEADERS });
  }

  /** Tells when an idle connection is no longer there. */
  onClosed(listener: () => void): void {
    this.#onClosed = listener;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  send(request: WrittenRequest, connectTimeoutMs: number, listener: CallListener): void {
    this.#asking = { request, listener, connectTimeoutMs };
    this.#isSent = false;
    this.dialled = null;
    if (this.#socket === null) this.#open(connectTimeoutMs);
    else nextTurn(this);
  }

  /** Ends it at once; a call that is under way fails. */
  destroy(): void {
    this.#dial?.cancel();
    this.#fail(CLOSED);
  }

  /** The turn has come: what there was to hear about the connection has been heard. */
  turn(): void {
    if (this.#asking === null || this.#isSent) return;
    if (this.#socket === null) this.#open(this.#asking.connectTimeoutMs);
    else this.#write(this.#socket, this.#asking);
  }

  onDialled(error: Error | null, socket: net.Socket | null, timings: DialTimings): void {
    this.#dial = null;
    this.dialled = timings;
    if (error === null) this.#take(socket!);
    else this.#fail(error);
  }

  onBytes(bytes: Buffer): void {
    if (this.#socket === null) return;
    // Nobody asked for this. Taken for the next answer it would be the wrong one.
    if (!this.#isSent || this.#asking === null) {
      this.#hearEnd(this.#socket);
      return;
    }
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  onHead(status: number, headers: AnswerHeaders): void {
    this.#asking?.listener.onHead(status, headers);
  }

  onBody(chunk: Buffer): void {
    this.#asking?.listener.onBody(chunk);
  }

  onEnd(isLast: boolean): void {
    const asking = this.#asking;
    if (asking === null) return;
    this.#asking = null;
    const keptMs = this.#keptMs();
    // An answer that came before all of the request had left says nothing about what the target will do with the rest.
    if (isLast || keptMs <= 0 || !asking.request.isReusable || this.#socket?.writableLength !== 0) this.#drop();
    this.usableUntilMs = performance.now() + keptMs;
    asking.listener.onEnd();
  }

  #open(connectTimeoutMs: number): void {
    this.#dial = this.#dialler.dial(this.#place, this.#sessions, connectTimeoutMs, this);
  }

  #take(socket: net.Socket): void {
    this.#socket = socket;
    this.#error = null;
    // What keeps the process running is the call, which has a timer; an idle connection must not.
    socket.unref();
    socket.on("end", () => this.#hearEnd(socket));
    socket.on("error", (error) => {
      this.#error = error;
    });
    socket.on("close", () => this.#hearEnd(socket));
    if (this.#asking !== null) this.#write(socket, this.#asking);
  }

  #write(socket: net.Socket, { request, listener }: Asking): void {
    this.#isSent = true;
    this.#reader.reset();
    listener.onSend();
    const { head, body } = request;
    if (body.length <= JOINED_BYTES_MAX) {
      socket.write(head + body.toString("latin1"), "latin1");
      return;
    }
    socket.cork();
    socket.write(head, "latin1");
    socket.write(body);
    socket.uncork();
  }

  /** It is closed, or has to be. */
  #hearEnd(socket: net.Socket): void {
    if (socket !== this.#socket) return;
    if (this.#asking === null) {
      this.#drop();
      this.#onClosed();
    } else if (!this.#isSent) this.#drop();
    else if (!this.#isOverWithConnection()) this.#fail(this.#error ?? new ClosedEarly());
  }

  /** Some targets reset the connection where others close it: both end an answer that ends with its connection. */
  #isOverWithConnection(): boolean {
    const isReset = this.#error !== null && "code" in this.#error && this.#error.code === "ECONNRESET";
    return (this.#error === null || isReset) && this.#reader.close();
  }

  #fail(error: Error): void {
    const asking = this.#asking;
    this.#asking = null;
    this.#drop();
    asking?.listener.onError(error);
  }

  #drop(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #keptMs(): number {
    const { keepAliveMs, keepAliveMaxMs } = this.#options;
    const { keepAliveSeconds } = this.#reader;
    return keepAliveSeconds === null
      ? keepAliveMs
      : Math.min(keepAliveSeconds * 1000 - KEEP_ALIVE_MARGIN_MS, keepAliveMaxMs);
  }
}

let turning: Connection[] = [];

/** All that wait for a turn of the event loop share one. */
function nextTurn(connection: Connection): void {
  if (turning.push(connection) === 1) setImmediate(turnAll);
}

function turnAll(): void {
  const connections = turning;
  turning = [];
  for (const connection of connections) connection.turn();
}
