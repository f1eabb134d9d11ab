import type { Execution } from "../../contract/execution.ts";
import type { JobSpec, JobState, OverlapPolicy, Pause } from "../../contract/job.ts";
import type { JobCounts } from "../../contract/job-counts.ts";
import type { JobSort } from "../../contract/job-list.ts";
import type { Json } from "../../contract/json.ts";
import type { EarlierResult, RememberedAnswer } from "./once.ts";

export interface JobRecord {
  id: string;
  projectId: string;
  version: number;
  state: JobState;
  spec: JobSpec;
  source: string | null;
  /** It belongs to a source, and its present version was written from elsewhere. */
  drifted: boolean;
  pause: Pause | null;
  nextFireAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface JobVersion {
  version: number;
  spec: JobSpec;
  createdAt: Date;
  createdBy: string | null;
  /** The declaration it was written from, such as `file:billing`; null if by hand. */
  source: string | null;
}

export interface JobFilter {
  states?: JobState[];
  tags?: string[];
  /** Part of the name or description, any case. */
  text?: string;
  source?: string;
  ids?: string[];
}

/** Who does it; kept with versions, triggers and pauses. */
export type Actor = string;

export type ChangeResult<T> =
  | { kind: "done"; job: JobRecord; value: T }
  | { kind: "not_found" }
  | { kind: "wrong_state"; state: JobState }
  | { kind: "version_mismatch"; version: number }
  | { kind: "name_taken"; name: string }
  /** It belongs to this source, or to none. */
  | { kind: "wrong_source"; source: string | null };

/**
 * Turns what a client wrote into a spec, given the job as it is (null: a new one) and the database's time. Runs inside
 * the transaction that has the job's lock, so that what it saw is what is changed. Throws PunctualError to refuse.
 */
export type SpecEditor = (current: JobRecord | null, now: Date) => JobSpec;

/** Jobs that may still run and use something: how many, up to 1,000, and the first few by name. */
export interface JobsUsing {
  count: number;
  names: string[];
}

export interface JobStore {
  /** Creates a job; what is due within the horizon is planned in the same transaction. */
  create(
    projectId: string,
    edit: SpecEditor,
    options: { actor: Actor; source: string | null; paused: boolean; pauseReason?: string | null },
  ): Promise<ChangeResult<"created">>;
  /**
   * Changes a job. A spec equal to the present one is no change and makes no version. `expectedVersion` is If-Match.
   * When it returns, no attempt of the old version starts any more.
   *
   * `source` is the declaration the change comes from: it may change its own jobs only, unless it adopts them. Without
   * one the change is made by hand: any job may be changed, and keeps its source.
   */
  edit(
    projectId: string,
    idOrName: string,
    edit: SpecEditor,
    options: {
      actor: Actor;
      expectedVersion?: number | undefined;
      source?: string | undefined;
      adopt?: boolean | undefined;
    },
  ): Promise<ChangeResult<"updated" | "unchanged">>;
  pause(
    projectId: string,
    idOrName: string,
    options: { actor: Actor; reason: string | null; until: Date | null },
  ): Promise<ChangeResult<"paused">>;
  resume(projectId: string, idOrName: string, options: { actor: Actor }): Promise<ChangeResult<"resumed">>;
  /** With a `source` only a job of that source. */
  delete(
    projectId: string,
    idOrName: string,
    options: { actor: Actor; expectedVersion?: number | undefined; source?: string | undefined },
  ): Promise<ChangeResult<"deleted">>;

  /** By id also a deleted one; by name only one that is not. */
  find(projectId: string, idOrName: string): Promise<JobRecord | null>;
  list(
    projectId: string,
    filter: JobFilter,
    page: { sort: JobSort; after: string | null; limit: number },
  ): Promise<{ items: JobRecord[]; next: string | null }>;
  /** How many the project has, without deleted ones; counted no further than `limit`. */
  count(projectId: string, limit: number): Promise<number>;
  /** How many match in each state, also deleted ones, and the tags they have; within the contract's bounds. */
  counts(projectId: string, filter: Omit<JobFilter, "states">): Promise<JobCounts>;
  /**
   * How many fire next at this very instant, up to `limit`. Where thousands do, over all projects, not all are looked at.
   * `except` is the id or name of a job that does not count.
   */
  firingAt(projectId: string, instant: Date, options: { except: string | null; limit: number }): Promise<number>;
  /** Ids of all that match, at most `limit`, for bulk operations. */
  matching(projectId: string, filter: JobFilter, limit: number): Promise<string[]>;
  versions(
    projectId: string,
    jobId: string,
    page: { after: number | null; limit: number },
  ): Promise<{ items: JobVersion[]; next: number | null }>;
  version(projectId: string, jobId: string, version: number): Promise<JobVersion | null>;
}

export interface TriggerRequest {
  job: string;
  payload?: Json;
  runAt?: Date;
  delayMs?: number;
  priority?: number;
  key?: string;
  overlap?: OverlapPolicy;
}

export type TriggerResult =
  | { kind: "triggered"; executionId: string; jobId: string; deduplicated: boolean }
  | { kind: "not_found"; job: string };

export type TriggerOneResult =
  | { kind: "triggered"; execution: Execution; deduplicated: boolean }
  | { kind: "not_found"; job: string };

/** What a request that takes effect once is known by, and the answer that is remembered of it. */
export interface TriggerOnce {
  key: string;
  fingerprint: Buffer;
  answer(execution: Execution): RememberedAnswer;
}

export type TriggerOnceResult =
  | { kind: "fresh"; execution: Execution; answer: RememberedAnswer }
  | { kind: "not_found"; job: string }
  | EarlierResult<RememberedAnswer>;

/** A connection of somebody else's, such as a client of `pg`. */
export interface SqlClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export type TriggerWithinResult = TriggerResult | { kind: "no_transaction" };

export interface TriggerStore {
  /** All or none: if any job is unknown nothing is triggered and the answer says which. */
  trigger(projectId: string, items: TriggerRequest[], options: { actor: Actor }): Promise<TriggerResult[]>;
  /** One, told as it would be read. Those that come at the same time are written together. */
  triggerOne(projectId: string, item: TriggerRequest, options: { actor: Actor }): Promise<TriggerOneResult>;
  /** The same of a request with an idempotency key, and no key of the trigger's own: see `Store.once`. */
  triggerOnce(
    projectId: string,
    item: TriggerRequest,
    options: { actor: Actor; once: TriggerOnce },
  ): Promise<TriggerOnceResult>;
  /** As part of the transaction that the client is in, which must be one of the same database. */
  triggerWithin(
    client: SqlClient,
    projectId: string,
    item: TriggerRequest & { runAt: Date },
    options: { actor: Actor },
  ): Promise<TriggerWithinResult>;
}
