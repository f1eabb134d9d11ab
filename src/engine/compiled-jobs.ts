import { type CompiledJob, compileJob } from "../core/compiled-job.ts";
import type { PlanningStore } from "../store/port/queue.ts";

/** Some kilobytes each: a node with a million jobs keeps those that fire. */
const KEPT_MAX = 10_000;

/** Versions of jobs, read once and kept while they are used. A version never changes, so nothing here goes stale. */
export class CompiledJobs {
  readonly #store: PlanningStore;
  readonly #jobs = new Map<string, CompiledJob>();

  constructor(store: PlanningStore) {
    this.#store = store;
  }

  async load(
    keys: { jobId: string; version: number }[],
  ): Promise<(key: { jobId: string; version: number }) => CompiledJob | undefined> {
    const wanted = new Map<string, CompiledJob>();
    const missing: { jobId: string; version: number }[] = [];
    for (const key of keys) {
      const name = `${key.jobId} ${key.version}`;
      if (wanted.has(name)) continue;
      const known = this.#jobs.get(name);
      if (known === undefined) missing.push(key);
      else this.#keep(name, known, wanted);
    }
    for (const { jobId, version, spec, jobCreatedAt } of await this.#store.readSpecs(missing))
      this.#keep(`${jobId} ${version}`, compileJob(jobId, version, spec, jobCreatedAt), wanted);
    return (key) => wanted.get(`${key.jobId} ${key.version}`);
  }

  /** The least recently used go first: a map keeps the order of insertion. */
  #keep(name: string, job: CompiledJob, wanted: Map<string, CompiledJob>): void {
    wanted.set(name, job);
    this.#jobs.delete(name);
    this.#jobs.set(name, job);
    if (this.#jobs.size > KEPT_MAX) this.#jobs.delete(this.#jobs.keys().next().value!);
  }
}
