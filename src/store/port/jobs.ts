import type { JobSpec, JobState, OverlapPolicy, Pause } from "../../contract/job.ts";
import type { Json } from "../../contract/json.ts";

export interface JobRecord {
  id: string;
  projectId: string;
  version: number;
  state: JobState;
  spec: JobSpec;
  source: string | null;
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
}

export interface JobFilter {
  states?: JobState[];
  tags?: string[];
  /** Part of the name or description, any case. */
  text?: string;
  source?: string;
  ids?: string[];
}

export const JOB_SORTS = ["created", "-created", "name", "-name", "nextFireAt", "-nextFireAt"] as const;
export type JobSort = (typeof JOB_SORTS)[number];

/** Who does it; kept with versions, triggers and pauses. */
export type Actor = string;

export type ChangeResult<T> =
  | { kind: "done"; job: JobRecord; value: T }
  | { kind: "not_found" }
  | { kind: "wrong_state"; state: JobState }
  | { kind: "version_mismatch"; version: number }
  | { kind: "name_taken"; name: string };

/**
 * Turns what a client wrote into a spec, given the job as it is (null: a new one) and the database's time. Runs inside
 * the transaction that has the job's lock, so that what it saw is what is changed. Throws PunctualError to refuse.
 */
export type SpecEditor = (current: JobRecord | null, now: Date) => JobSpec;

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
   */
  edit(
    projectId: string,
    idOrName: string,
    edit: SpecEditor,
    options: { actor: Actor; expectedVersion?: number | undefined },
  ): Promise<ChangeResult<"updated" | "unchanged">>;
  pause(
    projectId: string,
    idOrName: string,
    options: { actor: Actor; reason: string | null; until: Date | null },
  ): Promise<ChangeResult<"paused">>;
  resume(projectId: string, idOrName: string, options: { actor: Actor }): Promise<ChangeResult<"resumed">>;
  delete(
    projectId: string,
    idOrName: string,
    options: { actor: Actor; expectedVersion?: number | undefined },
  ): Promise<ChangeResult<"deleted">>;

  /** By id also a deleted one; by name only one that is not. */
  find(projectId: string, idOrName: string): Promise<JobRecord | null>;
  list(
    projectId: string,
    filter: JobFilter,
    page: { sort: JobSort; after: string | null; limit: number },
  ): Promise<{ items: JobRecord[]; next: string | null }>;
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

export interface TriggerStore {
  /** All or none: if any job is unknown nothing is triggered and the answer says which. */
  trigger(projectId: string, items: TriggerRequest[], options: { actor: Actor }): Promise<TriggerResult[]>;
}
