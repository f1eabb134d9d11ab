import type { eventQuery } from "../contract/event-query.ts";
import type { PunctualEvent } from "../contract/events.ts";
import type { QueryOf } from "./query.ts";
import { subscribe } from "./subscription.ts";
import type { Transport } from "./transport.ts";

export interface EventOptions extends Omit<QueryOf<typeof eventQuery>, "project"> {
  /** Events after this one, as far as the server remembers them. */
  lastEventId?: string | undefined;
  /** Aborting it ends the stream. */
  signal?: AbortSignal | undefined;
  /** Told when the stream is connected, and when the connection is lost and will be sought again. */
  onConnection?: ((connected: boolean) => void) | undefined;
}

/** An event, and the id after which a stream can be taken up again. */
export type StreamedEvent = PunctualEvent & { id: string };

/** Events were missed, or may have been: whoever shows something reads it again. */
export interface StreamReset {
  type: "reset";
  id: string;
}

export class EventsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What happens, as it happens, across lost connections. Events are hints; what was read is the truth. */
  async *stream(options: EventOptions = {}): AsyncGenerator<StreamedEvent | StreamReset, void, undefined> {
    const { lastEventId = null, signal, onConnection, ...query } = options;
    for await (const { event, data, id } of subscribe(this.#transport, {
      path: "/events",
      query,
      lastId: lastEventId,
      signal,
      onConnection,
    }))
      yield event === "reset" ? { type: "reset", id } : { ...(JSON.parse(data) as PunctualEvent), id };
  }
}
