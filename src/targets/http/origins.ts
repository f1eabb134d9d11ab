// The connections to all origins. Bounds: so many connections per origin, in use and idle together; so many origins
// with idle connections. A call that finds all connections of its origin in use waits for one, first come, first
// served; calls to other origins do not notice.

import { Connection, type ConnectionOptions } from "./connection.ts";
import type { Dialler, Place, TlsSession } from "./dial.ts";

export interface OriginsOptions extends ConnectionOptions {
  connectionsPerOrigin: number;
  originsMax: number;
}

/** Someone who wants a connection. */
export interface Caller {
  /** Never use a connection that carried another call. */
  readonly fresh: boolean;
  /** Called once, at once or later, unless the caller leaves before. */
  start(connection: Connection): void;
  /** Called instead if there will be no connection any more. */
  turnAway(): void;
}

// An idle connection that is too old is not used whether it is closed or not; this only gives it back to the system.
const TIDY_EVERY_MS = 1_000;

export class Origins {
  readonly #dialler: Dialler;
  readonly #options: OriginsOptions;
  // In the order of last use, so that the first idle one is the one to be closed.
  readonly #origins = new Map<string, Origin>();
  #last: Origin | null = null;
  #tidying: NodeJS.Timeout | null = null;
  #isDestroyed = false;

  constructor(dialler: Dialler, options: OriginsOptions) {
    this.#dialler = dialler;
    this.#options = options;
  }

  /** The origin of `https://host:port`; the caller uses it at once. */
  get(name: string): Origin {
    // Mostly it is the one that was used last, which needs no other place in the order.
    if (this.#last?.name === name) return this.#last;
    const origin = this.#origins.get(name) ?? this.#add(name);
    this.#origins.delete(name);
    this.#origins.set(name, origin);
    this.#last = origin;
    return origin;
  }

  /** Nobody may call any more. */
  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  destroy(): void {
    this.#isDestroyed = true;
    for (const origin of [...this.#origins.values()]) origin.destroy();
  }

  #add(name: string): Origin {
    this.#makeRoom();
    this.#tidying ??= setInterval(() => this.#tidy(), TIDY_EVERY_MS).unref();
    return new Origin(name, this.#dialler, this.#options, (emptied) => this.#remove(emptied));
  }

  #remove(origin: Origin): void {
    if (this.#last === origin) this.#last = null;
    if (this.#origins.get(origin.name) === origin) this.#origins.delete(origin.name);
    if (this.#origins.size > 0 || this.#tidying === null) return;
    clearInterval(this.#tidying);
    this.#tidying = null;
  }

  #makeRoom(): void {
    if (this.#origins.size < this.#options.originsMax) return;
    for (const origin of this.#origins.values())
      if (!origin.isBusy) {
        origin.destroy();
        return;
      }
  }

  #tidy(): void {
    const now = performance.now();
    for (const origin of [...this.#origins.values()]) origin.closeIdle(now);
  }
}

export class Origin {
  /** `https://host:port` */
  readonly name: string;
  readonly #place: Place;
  readonly #dialler: Dialler;
  readonly #options: OriginsOptions;
  readonly #onEmpty: (origin: Origin) => void;
  readonly #sessions: TlsSession = { session: null };
  readonly #all = new Set<Connection>();
  // The last one used is taken first: the others grow old and are closed when there is less to do.
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Caller>();

  constructor(name: string, dialler: Dialler, options: OriginsOptions, onEmpty: (origin: Origin) => void) {
    this.name = name;
    this.#place = placeOf(name);
    this.#dialler = dialler;
    this.#options = options;
    this.#onEmpty = onEmpty;
  }

  get isBusy(): boolean {
    return this.#all.size > this.#idle.length;
  }

  enter(caller: Caller): void {
    const connection = this.#take(caller.fresh);
    if (connection === null) this.#waiting.add(caller);
    else caller.start(connection);
  }

  /** A caller that no longer wants to wait. */
  leave(caller: Caller): void {
    this.#waiting.delete(caller);
  }

  /** A call is over and its connection in order; the next call may have it. */
  giveBack(connection: Connection): void {
    if (!connection.isOpen) {
      this.discard(connection);
      return;
    }
    if (!this.#all.has(connection)) return;
    this.#idle.push(connection);
    this.#next();
  }

  /** A call is over and its connection must not be used again. */
  discard(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    connection.destroy();
    this.#next();
    this.#tellIfEmpty();
  }

  /** Closes the connections that were idle for too long. */
  closeIdle(nowMs: number): void {
    for (const connection of this.#idle.filter(({ usableUntilMs }) => usableUntilMs <= nowMs)) this.#forget(connection);
  }

  /** Closes all connections, those in use too: their calls fail. */
  destroy(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const caller of waiting) caller.turnAway();
    this.#idle.length = 0;
    for (const connection of [...this.#all]) this.discard(connection);
    this.#tellIfEmpty();
  }

  #take(fresh: boolean): Connection | null {
    if (!fresh) {
      const idle = this.#takeIdle();
      if (idle !== null) return idle;
    }
    if (this.#all.size >= this.#options.connectionsPerOrigin) {
      const oldest = this.#idle.shift();
      if (oldest === undefined) return null;
      this.#all.delete(oldest);
      oldest.destroy();
    }
    return this.#open();
  }

  #takeIdle(): Connection | null {
    const connection = this.#idle.pop();
    if (connection === undefined) return null;
    if (connection.usableUntilMs > performance.now()) return connection;
    // The others have been idle for longer.
    this.#idle.push(connection);
    return null;
  }

  #open(): Connection {
    const connection = new Connection(this.#place, this.#sessions, this.#dialler, this.#options);
    // In use it is the call's to judge.
    connection.onClosed(() => this.#forget(connection));
    this.#all.add(connection);
    return connection;
  }

  /** An idle connection that is closed, or has to be. */
  #forget(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    this.discard(connection);
  }

  #next(): void {
    for (const caller of this.#waiting) {
      const connection = this.#take(caller.fresh);
      if (connection === null) return;
      this.#waiting.delete(caller);
      caller.start(connection);
    }
  }

  #tellIfEmpty(): void {
    if (this.#all.size === 0 && this.#waiting.size === 0) this.#onEmpty(this);
  }
}

function placeOf(origin: string): Place {
  const { hostname, port, protocol } = new URL(origin);
  const secure = protocol === "https:";
  return {
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 443 : 80) : Number(port),
    secure,
  };
}
