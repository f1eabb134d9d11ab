import { EVENT_TYPES, type EventType, type PunctualEvent } from "../contract/events.ts";
import type { EventBus } from "../store/port/instance.ts";

/** An event as the program hears it: with the name of the job, if it is one that its code declares. */
export interface ProgramEvent<Type extends EventType = EventType> extends PunctualEvent {
  type: Type;
  job: string | null;
}

type Listener = (event: ProgramEvent) => unknown;

export interface Source {
  events: EventBus;
  projectId: string;
  nameOf: (jobId: string) => string | null;
  onFailure: (error: unknown, type: EventType) => void;
}

/** Who in the program wants to hear of what. A listener that fails is told about and breaks nothing. */
export class Listeners {
  readonly #entries = new Set<{ type: EventType | "*"; listener: Listener }>();
  #source: Source | null = null;
  #unsubscribe: (() => void) | null = null;

  add(type: EventType | "*", listener: Listener): () => void {
    if (type !== "*" && !EVENT_TYPES.includes(type))
      throw new TypeError(`there is no event "${type}"; there are "*", ${EVENT_TYPES.join(", ")}`);
    if (typeof listener !== "function") throw new TypeError(`on("${type}", …) needs a function to call`);
    const entry = { type, listener };
    this.#entries.add(entry);
    this.#subscribe();
    return () => void this.#entries.delete(entry);
  }

  listen(source: Source): void {
    this.#source = source;
    this.#subscribe();
  }

  /** Nobody is told of anything any more. */
  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.#source = null;
  }

  /** Only once somebody wants to hear: while nobody does, no node has to send any events. */
  #subscribe(): void {
    if (this.#source === null || this.#entries.size === 0 || this.#unsubscribe !== null) return;
    this.#unsubscribe = this.#source.events.subscribe(
      (event) => this.#hear(event),
      () => {},
    );
  }

  /** Of this project, and what concerns all. */
  #hear({ type, timestamp, projectId, data }: PunctualEvent): void {
    const source = this.#source;
    if (source === null || (projectId !== null && projectId !== source.projectId)) return;
    const job = data.jobId === undefined ? null : source.nameOf(data.jobId);
    for (const entry of this.#entries)
      if (entry.type === "*" || entry.type === type)
        tell(entry.listener, { type, timestamp, projectId, data, job }).catch((error) => source.onFailure(error, type));
  }
}

async function tell(listener: Listener, event: ProgramEvent): Promise<void> {
  await listener(event);
}
