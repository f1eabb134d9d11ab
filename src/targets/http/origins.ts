// The connections to all origins. Bounds: so many connections per origin, in use and idle together; so many origins
// with idle connections. A call that finds all connections of its origin in use waits for one, first come, first
// served; calls to other origins do not notice.
//
// undici's own Pool is not used because its bound does not hold while connections fail (a client that could not
// connect leaves the pool and goes on taking queued requests), and because a call could not learn which phases its
// connection went through.

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

export class Origins {
  readonly #dialler: Dialler;
  readonly #options: OriginsOptions;
  // In the order of last use, so that the first idle one is the one to be closed.
  readonly #origins = new Map<string, Origin>();

  constructor(dialler: Dialler, options: OriginsOptions) {
    this.#dialler = dialler;
    this.#options = options;
  }

  /** The origin of `https://host:port`; the caller uses it at once. */
  get(origin: string): Origin {
    let found = this.#origins.get(origin);
    if (found === undefined) {
      this.#makeRoom();
      found = new Origin(origin, this.#dialler, this.#options, (emptied) => {
        if (this.#origins.get(origin) === emptied) this.#origins.delete(origin);
      });
    } else this.#origins.delete(origin);
    this.#origins.set(origin, found);
    return found;
  }

  destroy(): void {
    for (const origin of [...this.#origins.values()]) origin.destroy();
  }

  #makeRoom(): void {
    if (this.#origins.size < this.#options.originsMax) return;
    for (const origin of this.#origins.values())
      if (!origin.isBusy) {
        origin.destroy();
        return;
      }
  }
}

export class Origin {
  readonly #name: string;
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
    this.#name = name;
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
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
    }
    if (this.#all.size >= this.#options.connectionsPerOrigin) {
      const oldest = this.#idle.shift();
      if (oldest === undefined) return null;
      this.#all.delete(oldest);
      oldest.destroy();
    }
    return this.#open();
  }

  #open(): Connection {
    const connection = new Connection(this.#name, this.#place, this.#sessions, this.#dialler, this.#options);
    connection.onClosed(() => {
      // In use it is the call's to judge; undici dials again for a call that was given the connection a moment ago.
      const index = this.#idle.indexOf(connection);
      if (index === -1) return;
      this.#idle.splice(index, 1);
      this.discard(connection);
    });
    this.#all.add(connection);
    return connection;
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
