import type { DeadLetter, DeadLetterGroup, DeadLetterStatus } from "../../contract/dead-letter.ts";
import type { Execution, ExecutionState, Reason, Trigger } from "../../contract/execution.ts";
import type { ExecutionInclude } from "../../contract/execution-list.ts";
import type { JobRecent } from "../../contract/job-recent.ts";
import type { Json } from "../../contract/json.ts";
import type { Actor } from "./jobs.ts";

export interface ExecutionFilter {
  states?: ExecutionState[];
  jobIds?: string[];
  triggers?: Trigger[];
  /** Tag of the job. */
  tags?: string[];
  /** By runAt, half open. */
  from?: Date;
  to?: Date;
  ids?: string[];
}

export type CancelResult =
  | { kind: "cancelled"; execution: Execution }
  | { kind: "wrong_state"; state: ExecutionState }
  | { kind: "not_found" };

export type RetryResult =
  /** A new execution was made of a final one. */
  | { kind: "created"; executionId: string }
  /** It was retrying: the next attempt is due now. */
  | { kind: "hastened"; executionId: string }
  | { kind: "wrong_state"; state: ExecutionState }
  | { kind: "job_deleted" }
  | { kind: "not_found" };

export interface ExecutionStore {
  /** The whole: payload, result, every attempt, also the running one. */
  find(projectId: string, id: string): Promise<Execution | null>;
  list(
    projectId: string,
    filter: ExecutionFilter,
    page: { order: "asc" | "desc"; after: string | null; limit: number; include: ExecutionInclude[] },
  ): Promise<{ items: Execution[]; next: string | null }>;
  /** Each state up to the contract's COUNT_MAX. */
  counts(projectId: string, filter: ExecutionFilter): Promise<Record<ExecutionState, number>>;
  /** The latest `perJob` executions of each job, newest first, in one statement. */
  latest(projectId: string, jobIds: string[], perJob: number): Promise<Map<string, Execution[]>>;
  /** How each of these jobs has been doing of late, in one statement. */
  recent(projectId: string, jobIds: string[]): Promise<Map<string, JobRecent>>;
  matching(projectId: string, filter: ExecutionFilter, limit: number): Promise<string[]>;

  /** In force at once, also for a running one: its holder's answer will be refused and its call is aborted. */
  cancel(projectId: string, id: string, options: { actor: Actor; reason?: string }): Promise<CancelResult>;
  /** The same for many, in one statement. Answers those that it ended; the others were final, or were never there. */
  cancelMany(
    projectId: string,
    ids: string[],
    options: { actor: Actor },
  ): Promise<{ id: string; jobId: string; reason: Reason }[]>;
  retry(
    projectId: string,
    id: string,
    options: { actor: Actor; version: "current" | "original"; payload?: Json },
  ): Promise<RetryResult>;
}

export interface DeadLetterFilter {
  statuses?: DeadLetterStatus[];
  jobIds?: string[];
  groups?: string[];
  ids?: string[];
}

export interface DeadLetterStore {
  list(
    projectId: string,
    filter: DeadLetterFilter,
    page: { after: string | null; limit: number },
  ): Promise<{ items: DeadLetter[]; next: string | null }>;
  groups(projectId: string, filter: DeadLetterFilter, limit: number): Promise<DeadLetterGroup[]>;
  matching(projectId: string, filter: DeadLetterFilter, limit: number): Promise<string[]>;
  /** Only open ones; the answer counts those that were. */
  discard(projectId: string, ids: string[], options: { actor: Actor }): Promise<number>;
  /** Each retried one names the execution made of it; those no longer open are left out. */
  retry(projectId: string, ids: string[], options: { actor: Actor }): Promise<{ id: string; executionId: string }[]>;
}
