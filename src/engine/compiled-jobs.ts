import { type CompiledJob, type CompiledSchedule, compileJob, compileSchedule } from "../core/compiled-job.ts";
import type { PlanningStore } from "../store/port/queue.ts";

/** Some kilobytes each: a node with a million jobs keeps those that run. */
const JOBS_MAX = 20_000;
/** Read ahead with one statement. */
const PREPARED_AT_ONCE = 500;
/** Some hundred bytes each. */
const SCHEDULES_MAX = 100_000;

interface VersionKey {
  jobId: string;
  version: number;
}

/** Versions of jobs, read once and kept while they are used. A version never changes, so nothing here goes stale. */
class CompiledVersions<Compiled extends CompiledSchedule> {
  readonly #store: PlanningStore;
  readonly #compile: (...version: Parameters<typeof compileJob>) => Compiled;
  readonly #recentMax: number;
  /** What is used moves to the recent ones; when they are many, those before them are forgotten all at once. */
  #recent = new Map<string, Compiled>();
  #earlier = new Map<string, Compiled>();

  constructor(
    store: PlanningStore,
    compile: (...version: Parameters<typeof compileJob>) => Compiled,
    { keptMax }: { keptMax: number },
  ) {
    this.#store = store;
    this.#compile = compile;
    this.#recentMax = keptMax / 2;
  }

  async load(keys: VersionKey[]): Promise<(key: VersionKey) => Compiled | undefined> {
    const wanted = new Map<string, Compiled>();
    for (const job of await this.loadEach(keys))
      if (job !== undefined) wanted.set(nameOf({ jobId: job.id, version: job.version }), job);
    return (key) => wanted.get(nameOf(key));
  }

  /** In the order of the keys; undefined for what is not there. */
  async loadEach(keys: VersionKey[]): Promise<(Compiled | undefined)[]> {
    const names = keys.map(nameOf);
    const found = names.map((name) => this.#find(name));
    const missing = keys.filter((_, nth) => found[nth] === undefined);
    if (missing.length === 0) return found;
    const read = new Map<string, Compiled>();
    for (const { jobId, projectId, version, spec, jobCreatedAt } of await this.#store.readSpecs(missing)) {
      const compiled = this.#compile({ id: jobId, projectId, createdAt: jobCreatedAt }, version, spec);
      const name = nameOf({ jobId, version });
      read.set(name, compiled);
      this.#keep(name, compiled);
    }
    return found.map((compiled, nth) => compiled ?? read.get(names[nth]!));
  }

  #find(name: string): Compiled | undefined {
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent;
    const compiled = this.#earlier.get(name);
    if (compiled !== undefined) this.#keep(name, compiled);
    return compiled;
  }

  #keep(name: string, compiled: Compiled): void {
    if (this.#recent.size >= this.#recentMax) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(name, compiled);
  }
}

function nameOf({ jobId, version }: VersionKey): string {
  return `${jobId} ${version}`;
}

export class CompiledJobs extends CompiledVersions<CompiledJob> {
  constructor(store: PlanningStore) {
    super(store, compileJob, { keptMax: JOBS_MAX });
  }

  /**
   * Reads ahead what is about to run: at midnight ten thousand jobs are due that have not run since yesterday. Whatever goes wrong,
   * they are read when they are wanted.
   */
  async prepare(keys: VersionKey[]): Promise<void> {
    const wanted = keys.slice(0, JOBS_MAX / 2);
    for (let from = 0; from < wanted.length; from += PREPARED_AT_ONCE)
      try {
        await this.loadEach(wanted.slice(from, from + PREPARED_AT_ONCE));
      } catch {
        return;
      }
  }
}

export class CompiledSchedules extends CompiledVersions<CompiledSchedule> {
  constructor(store: PlanningStore) {
    super(store, compileSchedule, { keptMax: SCHEDULES_MAX });
  }
}
