import { PunctualError } from "../contract/errors.ts";
import type { EventType } from "../contract/events.ts";
import { replacement } from "../core/stored-job.ts";
import { Loop } from "../engine/loop.ts";
import { type App, type CodeJobOutcome, codeSource } from "../store/port/code-jobs.ts";
import type { SpecEditor } from "../store/port/jobs.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { DeclaredJob } from "./declared-jobs.ts";

const REFRESH_MS = 30_000;
const SWEPT_PER_PASS = 100;

/** What the code declares, brought into the database at the start and kept alive there; what nobody declares is paused. */
export class CodeJobs {
  readonly #store: Store;
  readonly #log: Log;
  readonly #clock: () => Date;
  readonly #app: App;
  readonly #jobs: DeclaredJob[];
  readonly #undeclaredAfterMs: number;
  readonly #names = new Map<string, string>();
  readonly #loop: Loop;

  constructor(
    deps: { store: Store; log: Log; clock: () => Date },
    app: App,
    jobs: DeclaredJob[],
    { undeclaredAfterMs }: { undeclaredAfterMs: number },
  ) {
    this.#store = deps.store;
    this.#log = deps.log;
    this.#clock = deps.clock;
    this.#app = app;
    this.#jobs = jobs;
    this.#undeclaredAfterMs = undeclaredAfterMs;
    // Several times within the limit, so that one refresh that fails costs nothing.
    const againInMs = Math.min(REFRESH_MS, undeclaredAfterMs / 4);
    this.#loop = new Loop("code_jobs", deps.log, async () => {
      await this.keepOnce();
      return { againInMs };
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** The declared job that an id stands for. */
  nameOf(jobId: string): string | null {
    return this.#names.get(jobId) ?? null;
  }

  async declare(jobs: DeclaredJob[] = this.#jobs): Promise<void> {
    const result = await this.#store.codeJobs.declare(
      this.#app,
      jobs.map(({ name, input }) => ({
        name,
        edit: namingJob(
          name,
          replacement(input, () => name),
        ),
      })),
    );
    if (result.kind === "taken") throw this.#taken(result.jobs);
    for (const job of result.jobs) {
      this.#names.set(job.jobId, job.name);
      this.#tell(job);
    }
    this.#store.events.wake();
  }

  /** Says that the jobs are still declared, and pauses those of the app that nobody declares. */
  async keepOnce(): Promise<{ redeclared: number; paused: number }> {
    const { codeJobs } = this.#store;
    const givenUp = await codeJobs.refresh([...this.#names.keys()]);
    const names = new Set(givenUp.map((id) => this.#names.get(id)));
    if (names.size > 0) await this.declare(this.#jobs.filter(({ name }) => names.has(name)));
    const swept = await codeJobs.sweep(this.#app, { afterMs: this.#undeclaredAfterMs, limit: SWEPT_PER_PASS });
    for (const { jobId, name, paused } of swept) {
      this.#log.warn("job.not_in_code", { jobId, job: name, paused });
      if (paused) this.#publish("job.paused", jobId, "paused");
    }
    return { redeclared: givenUp.length, paused: swept.filter(({ paused }) => paused).length };
  }

  #tell({ jobId, name, outcome, resumed }: CodeJobOutcome): void {
    if (outcome === "left") this.#log.info("job.declared_by_newer_release", { jobId, job: name });
    if (outcome === "created" || outcome === "updated") {
      this.#log.info(`job.${outcome}`, { jobId, job: name });
      this.#publish(`job.${outcome}`, jobId, "active");
    }
    if (resumed) {
      this.#log.info("job.resumed", { jobId, job: name });
      this.#publish("job.resumed", jobId, "active");
    }
  }

  #publish(type: EventType, jobId: string, state: string): void {
    const timestamp = this.#clock().toISOString();
    this.#store.events.publish([{ type, timestamp, projectId: this.#app.projectId, data: { jobId, state } }]);
  }

  #taken(jobs: { name: string; source: string | null }[]): PunctualError {
    const whose = jobs.map(({ name, source }) => `"${name}" (${source ?? "made by hand"})`).join(", ");
    return new PunctualError(
      "wrong_source",
      `"${this.#app.name}" cannot declare jobs that belong to others: ${whose}; ` +
        `rename them in the code, or delete those first, for ${codeSource(this.#app.name)} touches only its own`,
      {
        details: jobs.map(({ name, source }) => ({
          path: `jobs.${name}`,
          code: "wrong_source",
          message: `belongs to ${source ?? "nobody"}`,
        })),
      },
    );
  }
}

/** What is wrong with a job says which job it is. */
function namingJob(name: string, edit: SpecEditor): SpecEditor {
  return (current, now) => {
    try {
      return edit(current, now);
    } catch (error) {
      if (!(error instanceof PunctualError)) throw error;
      throw PunctualError.validation(
        error.details.map((problem) => ({ ...problem, path: `jobs.${name}.${problem.path}` })),
      );
    }
  };
}
