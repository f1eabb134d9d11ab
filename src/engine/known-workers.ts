import type { WorkerStore } from "../store/port/workers.ts";

type Renewed = NonNullable<Awaited<ReturnType<WorkerStore["renew"]>>>;

interface Known {
  worker: Renewed;
  /** Until then its lease was renewed a moment ago. */
  freshUntil: number;
}

/** Of its lease; a worker whose lease was renewed so shortly before loses nothing if that counts for this call, too. */
const FRESH_SHARE = 0.1;
const FRESH_MS_MAX = 1_000;
const KNOWN_MAX = 10_000;

/**
 * Workers that were heard a moment ago. A busy one makes a hundred calls a second, and writing its lease anew for each would
 * cost a commit before anything is done for it. Whether it may still take something is asked again by the claim itself.
 */
export class KnownWorkers {
  readonly #store: Pick<WorkerStore, "renew">;
  readonly #monotonic: () => number;
  readonly #known = new Map<string, Known>();

  constructor(store: Pick<WorkerStore, "renew">, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  /** It makes a call: it lives. Null: it is not known (any more) and has to register. */
  async heard(projectId: string, id: string): Promise<Renewed | null> {
    const known = this.#known.get(keyOf(projectId, id));
    if (known !== undefined && this.#monotonic() < known.freshUntil) return known.worker;
    return await this.renew(projectId, id);
  }

  async renew(projectId: string, id: string): Promise<Renewed | null> {
    const sentAt = this.#monotonic();
    this.forget(projectId, id);
    const worker = await this.#store.renew(projectId, id);
    if (worker === null) return null;
    const freshMs = Math.min(worker.leaseMs * FRESH_SHARE, FRESH_MS_MAX);
    this.#known.set(keyOf(projectId, id), { worker, freshUntil: sentAt + freshMs });
    if (this.#known.size > KNOWN_MAX) this.#known.delete(this.#known.keys().next().value!);
    return worker;
  }

  /** It left, or offers something else. */
  forget(projectId: string, id: string): void {
    this.#known.delete(keyOf(projectId, id));
  }
}

function keyOf(projectId: string, id: string): string {
  return `${projectId} ${id}`;
}
