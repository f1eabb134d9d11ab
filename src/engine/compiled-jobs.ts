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

/** By job, and of few jobs there is more than one version: a name made of both for every execution would cost more than finding it. */
class Versions<Compiled extends CompiledSchedule> {
  readonly #byJob = new Map<string, Compiled[]>();
  size = 0;

  find({ jobId, version }: VersionKey): Compiled | undefined {
    return this.#byJob.get(jobId)?.find((compiled) => compiled.version === version);
  }

  add(compiled: Compiled): void {
    const others = this.#byJob.get(compiled.id);
    if (others === undefined) this.#byJob.set(compiled.id, [compiled]);
    else others.push(compiled);
    this.size += 1;
  }
}

/** Versions of jobs, read once and kept while they are used. A version never changes, so nothing here goes stale. */
class CompiledVersions<Compiled extends CompiledSchedule> {
  readonly #store: PlanningStore;
  readonly #compile: (...version: Parameters<typeof compileJob>) => Compiled;
  readonly #recentMax: number;
  /** What is used moves to the recent ones; when they are many, those before them are forgotten all at once. */
  #recent = new Versions<Compiled>();
  #earlier = new Versions<Compiled>();

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
    const wanted = new Versions<Compiled>();
    for (const job of new Set(await this.loadEach(keys))) if (job !== undefined) wanted.add(job);
    return (key) => wanted.find(key);
  }

  /** In the order of the keys; undefined for what is not there. */
  async loadEach(keys: VersionKey[]): Promise<(Compiled | undefined)[]> {
    const found = keys.map((key) => this.#find(key));
    const missing = keys.filter((_, nth) => found[nth] === undefined);
    if (missing.length === 0) return found;
    const read = new Versions<Compiled>();
    for (const { jobId, projectId, version, spec, jobCreatedAt } of await this.#store.readSpecs(missing)) {
      const compiled = this.#compile({ id: jobId, projectId, createdAt: jobCreatedAt }, version, spec);
      read.add(compiled);
      this.#keep(compiled);
    }
    return found.map((compiled, nth) => compiled ?? read.find(keys[nth]!));
  }

  #find(key: VersionKey): Compiled | undefined {
    const recent = this.#recent.find(key);
    if (recent !== undefined) return recent;
    const compiled = this.#earlier.find(key);
    if (compiled !== undefined) this.#keep(compiled);
    return compiled;
  }

  /** Two who read the same at once keep it once. */
  #keep(compiled: Compiled): void {
    if (this.#recent.size >= this.#recentMax) {
      this.#earlier = this.#recent;
      this.#recent = new Versions();
    }
    if (this.#recent.find({ jobId: compiled.id, version: compiled.version }) === undefined) this.#recent.add(compiled);
  }
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
