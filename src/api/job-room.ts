// How many jobs a project may have. To count a million of them takes the database half a second, which no creation should have
// to wait for. So a count is believed as far as it cannot matter: a node may use a share of the room that was left, and
// counts again beside that when the count has become old. Near the limit that share is nothing, and every creation counts.
//
// A soft limit: those that create at the same moment may end a few jobs above it.

import { PunctualError } from "../contract/errors.ts";
import type { Store } from "../store/port.ts";

const BELIEVED_MS = 5_000;
/** As many nodes can do their share at once without going over the limit together. */
const SHARES = 10;
/** Counting may take so small a part of the time: a count is believed for this many times what it took. */
const REST_FACTOR = 100;
/** Who is full is not counted for every refusal, but soon again: somebody may have deleted a job to make room. */
const FULL_REST_FACTOR = 10;
const PROJECTS_MAX = 1_000;

interface Known {
  until: number;
  /** Jobs that may be made without counting again; null: there is no room. */
  spare: number | null;
}

export class JobRoom {
  readonly #store: Pick<Store, "jobs">;
  readonly #jobsMax: number;
  readonly #monotonic: () => number;
  /** The latest last. */
  readonly #known = new Map<string, Known>();
  readonly #counting = new Set<string>();

  constructor(store: Pick<Store, "jobs">, { jobsMax, monotonic }: { jobsMax: number; monotonic: () => number }) {
    this.#store = store;
    this.#jobsMax = jobsMax;
    this.#monotonic = monotonic;
  }

  /** Throws `limit_reached` if there is no room for one more. `within` is the transaction of whoever asks. */
  async demand(projectId: string, within: Pick<Store, "jobs">): Promise<void> {
    const known = this.#believed(projectId) ?? (await this.#count(projectId, within));
    if (known.spare === null)
      throw new PunctualError(
        "limit_reached",
        `the project has ${this.#jobsMax} jobs, which is as many as it may have (PUNCTUAL_JOBS_MAX); delete some`,
      );
    known.spare -= 1;
  }

  #believed(projectId: string): Known | null {
    const known = this.#known.get(projectId);
    if (known === undefined) return null;
    const isOld = known.until <= this.#monotonic();
    if (known.spare === null) return isOld ? null : known;
    if (known.spare <= 0) return null;
    if (isOld) void this.#countBeside(projectId);
    return known;
  }

  /** A database that does not answer now is asked by the next creation. */
  async #countBeside(projectId: string): Promise<void> {
    if (this.#counting.has(projectId)) return;
    this.#counting.add(projectId);
    await this.#count(projectId, this.#store).catch(() => {});
    this.#counting.delete(projectId);
  }

  async #count(projectId: string, store: Pick<Store, "jobs">): Promise<Known> {
    const askedAt = this.#monotonic();
    const room = this.#jobsMax - (await store.jobs.count(projectId, this.#jobsMax));
    const now = this.#monotonic();
    const tookMs = now - askedAt;
    const known =
      room > 0
        ? { spare: Math.floor(room / SHARES), until: now + Math.max(BELIEVED_MS, tookMs * REST_FACTOR) }
        : { spare: null, until: now + tookMs * FULL_REST_FACTOR };
    this.#remember(projectId, known);
    return known;
  }

  #remember(projectId: string, known: Known): void {
    this.#known.delete(projectId);
    this.#known.set(projectId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > PROJECTS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
