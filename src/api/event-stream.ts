// One listener of /events. Promised: every event that this node knows of after the given cursor, in order, or `reset`, which
// tells the client to read what it shows again. A client that reads more slowly than events come is let go rather than kept in
// memory; it comes back with the last id it saw.

import type { ServerResponse } from "node:http";
import type { PunctualEvent } from "../contract/events.ts";
import type { EventBus } from "../store/port/instance.ts";

/** What may wait for one client before it is let go. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

type Told = PunctualEvent & { cursor: string };

export interface Listener {
  wants(event: PunctualEvent): boolean;
  /** The last event that the client saw. */
  after: string | null;
  pingMs: number;
}

export class EventStream {
  readonly #out: ServerResponse;
  readonly #listener: Listener;
  readonly #ends: (() => void)[] = [];

  constructor(out: ServerResponse, listener: Listener) {
    this.#out = out;
    this.#listener = listener;
  }

  start(bus: EventBus): void {
    // Both in one turn, so that nothing can come between what was missed and what is new.
    const missed = this.#listener.after === null ? [] : bus.since(this.#listener.after);
    if (missed === null) this.#reset();
    else for (const event of missed) this.#tell(event);
    const ping = setInterval(() => this.#write(": ping\n\n"), this.#listener.pingMs);
    this.#ends.push(
      bus.subscribe(
        (event) => this.#tell(event),
        () => this.#reset(),
      ),
      () => clearInterval(ping),
    );
    this.#out.once("close", () => this.#release());
    this.#out.once("error", () => this.#release());
  }

  end(): void {
    this.#release();
    this.#out.end();
  }

  #tell(event: Told): void {
    if (!this.#listener.wants(event)) return;
    const { cursor, ...told } = event;
    this.#write(`id: ${cursor}\nevent: ${told.type}\ndata: ${JSON.stringify(told)}\n\n`);
  }

  #reset(): void {
    this.#write("event: reset\ndata: {}\n\n");
  }

  #write(text: string): void {
    if (this.#out.writableLength > BUFFERED_BYTES_MAX) this.#out.destroy();
    else this.#out.write(text);
  }

  #release(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}
