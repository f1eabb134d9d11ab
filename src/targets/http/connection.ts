import type { EventEmitter } from "node:events";
import { Client, type Dispatcher } from "undici";
import type { Dial, Dialler, DialTimings, Place, TlsSession } from "./dial.ts";

export interface ConnectionOptions {
  /** How long an idle connection is kept when the target does not say. */
  keepAliveMs: number;
  /** And at most, whatever the target says. */
  keepAliveMaxMs: number;
  /** Largest headers of an answer. */
  headerBytesMax: number;
}

// Made once: the trace of where a connection was closed helps nobody and costs more than closing it.
const CLOSED = new Error("the connection was closed by its owner");

/**
 * One connection to an origin, used by one call at a time.
 *
 * undici sends a request again by itself in one case only: when it was pipelined behind another on a connection that
 * broke. With one request per connection that cannot happen; a request it has begun to write is either answered or
 * failed. A request that is still waiting for its connection is another matter: an idle connection may have been
 * closed by the target, and undici then dials anew, through this class, before it writes the first byte.
 */
export class Connection {
  readonly #client: Client;
  #dial: Dial | null = null;
  #connectTimeoutMs = 0;
  /** The phases of the dial made for the current call; null if the connection was there already. */
  dialled: DialTimings | null = null;

  constructor(origin: string, place: Place, sessions: TlsSession, dialler: Dialler, options: ConnectionOptions) {
    this.#client = new Client(origin, {
      pipelining: 1,
      // The call's own timer covers everything; undici's timers are coarser and would only compete with it.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMaxMs,
      maxHeaderSize: options.headerBytesMax,
      connect: (_, callback) => {
        this.#dial = dialler.dial(place, sessions, this.#connectTimeoutMs, (error, socket, timings) => {
          this.#dial = null;
          this.dialled = timings;
          if (error === null) callback(null, socket!);
          else callback(error, null);
        });
      },
    });
    // Emitted if a handler throws. The call has its own way to end then; without a listener the process would end.
    (this.#client as EventEmitter).on("error", () => {});
  }

  /** Tells when an idle connection is no longer there. */
  onClosed(listener: () => void): void {
    this.#client.on("disconnect", listener);
  }

  send(request: Dispatcher.DispatchOptions, connectTimeoutMs: number, handler: Dispatcher.DispatchHandler): void {
    this.dialled = null;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#client.dispatch(request, handler);
  }

  /** Ends it at once, whatever it is doing. */
  destroy(): void {
    this.#dial?.cancel();
    this.#client.destroy(CLOSED).catch(() => {});
  }
}
