// What happens, as it happens. Events are hints: nothing is drawn from them alone. They are gathered for a moment and handed on
// as one batch, so that thousands a second cost as much as a few; whoever shows something then reads it again, not oftener than
// its own pace. Nobody looks at a hidden tab, so it does not listen: it takes the stream up again where it left it.

import { PunctualApiError, type PunctualClient, type StreamedEvent, type StreamReset } from "punctual/client";

export type LiveState = "connecting" | "live" | "reconnecting" | "paused";

/** Events of a moment. After a reset anything may have happened. */
export interface Batch {
  reset: boolean;
  events: readonly StreamedEvent[];
}

const GATHER_MS = 250;
/** Beyond these the batch only says that much happened. */
const BATCH_MAX = 2_000;
/** A glance at another tab should not cost a connection. */
const HIDDEN_MS = 10_000;
const WAIT_MS_MAX = 15_000;
/** A server may answer everything but the stream. */
const NUDGE_MS_MIN = 2_000;

export class Live {
  readonly #client: PunctualClient;
  readonly #onUnknown: () => void;
  readonly #stateListeners = new Set<() => void>();
  readonly #batchListeners = new Set<(batch: Batch) => void>();
  #state: LiveState = "connecting";
  #held = false;
  #lastEventId: string | undefined;
  #stop: AbortController | null = null;
  #gathered: StreamedEvent[] = [];
  #reset = false;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #hideTimer: ReturnType<typeof setTimeout> | undefined;
  #nudgedAt = 0;
  /** Since when what is shown may be out of date; null while it is live. */
  #since: number | null = null;

  /** `onUnknown` is called when the server does not know the session any more. */
  constructor(client: PunctualClient, onUnknown: () => void) {
    this.#client = client;
    this.#onUnknown = onUnknown;
  }

  get state(): LiveState {
    return this.#state;
  }

  get since(): number | null {
    return this.#since;
  }

  onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  onBatch(listener: (batch: Batch) => void): () => void {
    this.#batchListeners.add(listener);
    return () => this.#batchListeners.delete(listener);
  }

  /** Listens until the returned function is called. */
  start(): () => void {
    document.addEventListener("visibilitychange", this.#seen);
    this.#connect();
    return () => {
      document.removeEventListener("visibilitychange", this.#seen);
      clearTimeout(this.#hideTimer);
      clearTimeout(this.#flushTimer);
      this.#stop?.abort();
      this.#stop = null;
    };
  }

  /** The person wants the page to hold still, or not any more. */
  hold(held: boolean): void {
    this.#held = held;
    if (held) this.#pause();
    else this.#connect();
  }

  /** The server answered something: if the stream is being sought, it need not wait for its turn. */
  readonly nudge = (): void => {
    if (this.#state !== "reconnecting" || Date.now() - this.#nudgedAt < NUDGE_MS_MIN) return;
    this.#nudgedAt = Date.now();
    this.#stop?.abort();
    this.#stop = null;
    this.#connect();
  };

  readonly #seen = (): void => {
    clearTimeout(this.#hideTimer);
    if (document.hidden) this.#hideTimer = setTimeout(() => this.#pause(), HIDDEN_MS);
    else this.#connect();
  };

  #pause(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.#enter("paused");
  }

  #connect(): void {
    if (this.#stop !== null || this.#held || document.hidden) return;
    const stop = new AbortController();
    this.#stop = stop;
    this.#enter(this.#state === "connecting" ? "connecting" : "reconnecting");
    void this.#listen(stop.signal);
  }

  async #listen(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const { events } = this.#client;
        const onConnection = (connected: boolean) => {
          if (!signal.aborted) this.#connection(connected);
        };
        for await (const event of events.stream({ signal, lastEventId: this.#lastEventId, onConnection })) {
          failures = 0;
          this.#gather(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        // Nobody may be touching the page: it would say for ever that the connection is lost.
        if (error instanceof PunctualApiError && error.status === 401) return this.#onUnknown();
        // The server is starting, say. Whatever is shown asks again by itself and says so.
        this.#connection(false);
      }
      await wait(Math.min(WAIT_MS_MAX, 1_000 * 2 ** failures), signal);
    }
  }

  /** The server tells what was missed as far as it remembers; that is not for ever, so all that is shown is read again. */
  #connection(connected: boolean): void {
    if (connected && this.#since !== null) this.#gather({ type: "reset", id: "" });
    this.#enter(connected ? "live" : "reconnecting");
  }

  #gather(event: StreamedEvent | StreamReset): void {
    if (event.id !== "") this.#lastEventId = event.id;
    if (event.type === "reset") this.#reset = true;
    else if (this.#gathered.length < BATCH_MAX) this.#gathered.push(event);
    else this.#reset = true;
    this.#flushTimer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  #flush(): void {
    this.#flushTimer = undefined;
    const batch = { reset: this.#reset, events: this.#gathered };
    this.#gathered = [];
    this.#reset = false;
    for (const listener of this.#batchListeners) listener(batch);
  }

  #enter(state: LiveState): void {
    if (state === "live") this.#since = null;
    else if (state !== "connecting") this.#since ??= Date.now();
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener();
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
