import type { z } from "zod";
import type { Execution } from "../contract/execution.ts";
import type { jobExecutionListQuery } from "../contract/execution-list.ts";
import type { Job, jobInputSchema } from "../contract/job.ts";
import type { JobCounts, jobCountsQuery } from "../contract/job-counts.ts";
import type { JobDays, jobDaysQuery } from "../contract/job-days.ts";
import type { JobInclude, jobListQuery } from "../contract/job-list.ts";
import type { JobVersion } from "../contract/job-version.ts";
import type { Page } from "../contract/page.ts";
import type { nextQuery, SchedulePreview } from "../contract/schedule-preview.ts";
import type { JobSeries, jobSeriesQuery } from "../contract/series.ts";
import type { JobStats, statsQuery } from "../contract/stats.ts";
import { everyItem, type PageQuery } from "./every-item.ts";
import type { QueryOf } from "./query.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { TriggerInput } from "./triggers.ts";

export type JobQuery = QueryOf<typeof jobListQuery>;
export type JobCountsFilter = QueryOf<typeof jobCountsQuery>;
export type JobExecutionQuery = QueryOf<typeof jobExecutionListQuery>;
export type NextQuery = QueryOf<typeof nextQuery>;
export type StatsQuery = QueryOf<typeof statsQuery>;
export type JobSeriesQuery = QueryOf<typeof jobSeriesQuery>;
export type JobDaysQuery = QueryOf<typeof jobDaysQuery>;

/** A job as it is written: of all fields only the target must be there, and a name unless it runs once. */
export type JobInput = z.input<typeof jobInputSchema>;

/** What became of a trigger. */
export interface TriggeredExecution extends Execution {
  /** The same key had triggered it before. */
  deduplicated: boolean;
}

export interface PauseInput {
  reason?: string | null | undefined;
  /** When the pause ends by itself. */
  until?: Date | string | null | undefined;
}

export interface ReadJobOptions extends CallOptions {
  /** What it is to have besides. */
  include?: JobInclude | readonly JobInclude[] | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Says what would be made, or refuses for the same reasons, and makes nothing. */
  dryRun?: boolean | undefined;
  /** The declaration that the job belongs to, such as `file:billing`. */
  source?: string | undefined;
}

export interface PutOptions extends CreateOptions, ChangeOptions {
  /** With a source: takes over a job that was made by hand or belongs to another. */
  adopt?: boolean | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The version that was read; the change is refused with `version_mismatch` if the job has another by now. */
  ifMatch?: number | undefined;
}

export interface DeleteJobOptions extends ChangeOptions {
  /** Only if it belongs to this source. */
  source?: string | undefined;
}

/** Wherever a method takes a job, its id and its name will do. */
export class JobsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: JobQuery = {}, options?: CallOptions): Promise<Page<Job>> {
    return this.#transport.json({ method: "GET", path: "/jobs", query, options });
  }

  /** All jobs that match, read page by page as they are asked for. */
  all(query: JobQuery = {}, options?: CallOptions): AsyncIterable<Job> {
    return everyItem(query, (page) => this.list(page, options));
  }

  /** How many there are in each state, and which tags they have. */
  counts(filter: JobCountsFilter = {}, options?: CallOptions): Promise<JobCounts> {
    return this.#transport.json({ method: "GET", path: "/job-counts", query: filter, options });
  }

  get(job: string, options: ReadJobOptions = {}): Promise<Job> {
    const { include } = options;
    return this.#transport.json({ method: "GET", path: path(job), query: { include }, options });
  }

  create(input: JobInput & { paused?: boolean | undefined }, options: CreateOptions = {}): Promise<Job> {
    const { dryRun, source } = options;
    return this.#transport.json({ method: "POST", path: "/jobs", query: { dryRun, source }, body: input, options });
  }

  /** Replaces the job; by name, creates it if there is none. Writing what is already there changes nothing. */
  put(job: string, input: JobInput, options: PutOptions = {}): Promise<Job> {
    const { dryRun, source, adopt } = options;
    const query = { dryRun, source, adopt };
    return this.#transport.json({
      method: "PUT",
      path: path(job),
      query,
      body: input,
      headers: ifMatch(options),
      options,
    });
  }

  /** Changes the named fields, each as a whole. Without `ifMatch` it is not tried again when its answer is lost. */
  patch(job: string, fields: Partial<JobInput>, options: ChangeOptions = {}): Promise<Job> {
    return this.#transport.json({ method: "PATCH", path: path(job), body: fields, headers: ifMatch(options), options });
  }

  async delete(job: string, options: DeleteJobOptions = {}): Promise<void> {
    const { source } = options;
    await this.#transport.send({
      method: "DELETE",
      path: path(job),
      query: { source },
      headers: ifMatch(options),
      options,
    });
  }

  pause(job: string, input: PauseInput = {}, options?: CallOptions): Promise<Job> {
    return this.#transport.json({ method: "POST", path: `${path(job)}/pause`, body: input, options });
  }

  resume(job: string, options?: CallOptions): Promise<Job> {
    return this.#transport.json({ method: "POST", path: `${path(job)}/resume`, body: {}, options });
  }

  /** Runs the job now, or at `runAt`, or after `delay`. */
  async trigger(job: string, input: TriggerInput = {}, options?: CallOptions): Promise<TriggeredExecution> {
    const { status, body } = await this.#transport.send<Execution>({
      method: "POST",
      path: `${path(job)}/trigger`,
      body: input,
      options,
    });
    return { ...body, deduplicated: status === 200 };
  }

  /** The coming instants of its schedule. */
  next(job: string, query: NextQuery = {}, options?: CallOptions): Promise<SchedulePreview> {
    return this.#transport.json({ method: "GET", path: `${path(job)}/next`, query, options });
  }

  stats(job: string, query: StatsQuery = {}, options?: CallOptions): Promise<JobStats> {
    return this.#transport.json({ method: "GET", path: `${path(job)}/stats`, query, options });
  }

  /** The same over time, step by step. */
  series(job: string, query: JobSeriesQuery = {}, options?: CallOptions): Promise<JobSeries> {
    return this.#transport.json({ method: "GET", path: `${path(job)}/series`, query, options });
  }

  /** What became of its executions on each of the last days. */
  days(job: string, query: JobDaysQuery = {}, options?: CallOptions): Promise<JobDays> {
    return this.#transport.json({ method: "GET", path: `${path(job)}/days`, query, options });
  }

  executions(job: string, query: JobExecutionQuery = {}, options?: CallOptions): Promise<Page<Execution>> {
    return this.#transport.json({ method: "GET", path: `${path(job)}/executions`, query, options });
  }

  allExecutions(job: string, query: JobExecutionQuery = {}, options?: CallOptions): AsyncIterable<Execution> {
    return everyItem(query, (page) => this.executions(job, page, options));
  }

  versions(job: string, query: PageQuery = {}, options?: CallOptions): Promise<Page<JobVersion>> {
    return this.#transport.json({ method: "GET", path: `${path(job)}/versions`, query, options });
  }

  allVersions(job: string, query: PageQuery = {}, options?: CallOptions): AsyncIterable<JobVersion> {
    return everyItem(query, (page) => this.versions(job, page, options));
  }

  version(job: string, version: number, options?: CallOptions): Promise<JobVersion> {
    const at = `${path(job)}/versions/${encodeURIComponent(version)}`;
    return this.#transport.json({ method: "GET", path: at, options });
  }

  /** Makes an old version the newest. */
  restore(job: string, version: number, options?: CallOptions): Promise<Job> {
    const at = `${path(job)}/versions/${encodeURIComponent(version)}/restore`;
    return this.#transport.json({ method: "POST", path: at, body: {}, options });
  }
}

function path(job: string): string {
  return `/jobs/${encodeURIComponent(job)}`;
}

function ifMatch({ ifMatch }: ChangeOptions): Record<string, string> {
  return ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` };
}
