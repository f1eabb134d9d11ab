// Jobs that the program makes while it runs: one per customer, per region, per reminder. They carry the program's source
// like those of its code, and one of its functions does their work; but they are there until somebody takes them away.

import { PunctualError } from "../contract/errors.ts";
import { type Job, type JobState, jobInputSchema } from "../contract/job.ts";
import { parseOrThrow } from "../contract/validate.ts";
import { withoutDelay } from "../core/schedule/stored-schedule.ts";
import { replacement } from "../core/stored-job.ts";
import { codeSource } from "../store/port/code-jobs.ts";
import type { JobRecord } from "../store/port/jobs.ts";
import type { Store } from "../store/port.ts";
import { type DeclaredJobs, handlerName, type JobFields } from "./declared-jobs.ts";

export interface ScheduleOptions extends JobFields {
  /** The declared job whose function does the work. What is left out here is as declared there, but for the schedule. */
  job: string;
}

/** A job of this program. */
export interface ListedJob
  extends Pick<Job, "id" | "name" | "version" | "state" | "pause" | "schedule" | "payload" | "nextFireAt" | "source"> {
  handler: string;
  /** The release whose code declared it; null for a job made with `schedule`. */
  release: string | null;
}

export interface ListOptions {
  states?: JobState[];
  /** At most so many. Default: 1,000. */
  limit?: number;
}

const PAGE = 200;
const LIST_DEFAULT = 1_000;
const UPSERT_TRIES = 5;

export class DynamicJobs {
  readonly #store: Store;
  readonly #declared: DeclaredJobs;
  readonly #clock: () => Date;
  readonly #app: string;
  readonly #projectId: string;
  readonly #source: string;

  constructor(
    deps: { store: Store; declared: DeclaredJobs; clock: () => Date },
    { app, projectId }: { app: string; projectId: string },
  ) {
    this.#store = deps.store;
    this.#declared = deps.declared;
    this.#clock = deps.clock;
    this.#app = app;
    this.#projectId = projectId;
    this.#source = codeSource(app);
  }

  /** Makes the job, or makes it what is said here. */
  async schedule(name: string, options: ScheduleOptions): Promise<ListedJob> {
    const edit = replacement(await this.#input(name, options), () => name);
    const actor = this.#source;
    for (let tries = 1; tries <= UPSERT_TRIES; tries += 1) {
      const existing = await this.#store.jobs.find(this.#projectId, name);
      if (existing !== null) await this.#refuseDeclared(existing, "is declared in code: change it there");
      const result =
        existing === null
          ? await this.#store.jobs.create(this.#projectId, edit, { actor, source: this.#source, paused: false })
          : await this.#store.jobs.edit(this.#projectId, existing.id, edit, { actor, source: this.#source });
      if (result.kind === "wrong_source") throw this.#foreign(name, result.source);
      // Taken or given up in the meantime: look again.
      if (result.kind !== "done") continue;
      if (result.value !== "unchanged")
        this.#announce(result.value === "created" ? "job.created" : "job.updated", result.job);
      const saved = (await this.#store.jobs.find(this.#projectId, result.job.id))!;
      return toListed(saved, null);
    }
    throw new PunctualError("unavailable", `the job "${name}" is being changed by others; try again`);
  }

  /** False if there is no such job. */
  async unschedule(name: string): Promise<boolean> {
    const existing = await this.#store.jobs.find(this.#projectId, name);
    if (existing === null) return false;
    await this.#refuseDeclared(existing, "is declared in code: remove it there");
    const options = { actor: this.#source, source: this.#source };
    const result = await this.#store.jobs.delete(this.#projectId, existing.id, options);
    if (result.kind === "wrong_source") throw this.#foreign(name, result.source);
    if (result.kind !== "done") return false;
    this.#announce("job.deleted", result.job);
    return true;
  }

  /** All jobs of the program, declared ones too, by name. */
  async list({ states, limit = LIST_DEFAULT }: ListOptions): Promise<ListedJob[]> {
    const records: JobRecord[] = [];
    const filter = { source: this.#source, ...(states === undefined ? {} : { states }) };
    let after: string | null = null;
    do {
      const page = { sort: "name" as const, after, limit: Math.min(PAGE, limit - records.length) };
      const { items, next } = await this.#store.jobs.list(this.#projectId, filter, page);
      records.push(...items);
      after = next;
    } while (after !== null && records.length < limit);
    const declared = await this.#store.codeJobs.declared(records.map(({ id }) => id));
    return records.map((record) => toListed(record, declared.get(record.id)?.release ?? null));
  }

  async #input(name: string, { job, ...fields }: ScheduleOptions) {
    const declared = this.#declared.get(job);
    if (declared === undefined) {
      const message = `is not one that this program declares: ${this.#declared.names().join(", ") || "it declares none"}`;
      throw PunctualError.validation([{ path: "job", code: "not_found", message, value: job }]);
    }
    const { schedule: _, description: __, tags: ___, ...inherited } = declared.fields;
    const target = { type: "worker", handler: handlerName(this.#app, job) };
    const input = parseOrThrow(jobInputSchema, { ...inherited, ...fields, name, target });
    await this.#declared.checkPayload(job, input.payload);
    return input;
  }

  async #refuseDeclared({ id, spec, source }: JobRecord, message: string): Promise<void> {
    if (source !== this.#source) throw this.#foreign(spec.name, source);
    if (this.#declared.get(spec.name) === undefined && !(await this.#store.codeJobs.declared([id])).has(id)) return;
    throw new PunctualError("wrong_source", `the job "${spec.name}" ${message}`);
  }

  #foreign(name: string, source: string | null): PunctualError {
    const whose = source === null ? "was made by hand" : `belongs to ${source}`;
    return new PunctualError("wrong_source", `the job "${name}" ${whose}; ${this.#source} touches only its own`);
  }

  #announce(type: "job.created" | "job.updated" | "job.deleted", { id, state }: JobRecord): void {
    const timestamp = this.#clock().toISOString();
    this.#store.events.publish([{ type, timestamp, projectId: this.#projectId, data: { jobId: id, state } }]);
    this.#store.events.wake();
  }
}

function toListed(
  { id, version, state, pause, source, nextFireAt, spec }: JobRecord,
  release: string | null,
): ListedJob {
  return {
    id,
    name: spec.name,
    version,
    state,
    pause,
    source,
    schedule: withoutDelay(spec.schedule),
    payload: spec.payload,
    nextFireAt: nextFireAt?.toISOString() ?? null,
    handler: spec.target.type === "worker" ? spec.target.handler : "",
    release,
  };
}
