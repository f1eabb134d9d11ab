import type { Attempt, AttemptError, ExecutionState, Reason, Trigger } from "../../contract/execution.ts";
import type { JobSpec } from "../../contract/job.ts";
import type { Json } from "../../contract/json.ts";
import type { CompiledSchedule } from "../../core/compiled-job.ts";
import type { Plan } from "../../core/plan.ts";

/** A cursor that is due within the horizon, as a planner read it: the compare part of compare-and-set. */
export interface DueCursor {
  jobId: string;
  version: number;
  /** In milliseconds, as all times of planning are. */
  nextFireAt: number;
  runs: number;
}

/** What is to become of one cursor; written only if it is still as it was read. */
export interface CursorPlan {
  cursor: DueCursor;
  job: CompiledSchedule;
  plan: Plan;
}

export interface VersionedSpec {
  jobId: string;
  projectId: string;
  version: number;
  spec: JobSpec;
  jobCreatedAt: Date;
}

export interface PlanningStore {
  /** In the order of their instants; `after` is the last one of an earlier answer. */
  readDueCursors(options: { horizonMs: number; limit: number; after?: DueCursor | null }): Promise<DueCursor[]>;
  /** Answers the plans that took effect. */
  writePlans(plans: CursorPlan[]): Promise<CursorPlan[]>;
  /** Cursors whose instants were computed with older tz data than `tzdata`. */
  readOutdatedZones(tzdata: string, limit: number): Promise<{ cursor: DueCursor; plannedUntil: number }[]>;
  moveCursors(moves: { cursor: DueCursor; nextFireAt: number | null }[], tzdata: string): Promise<number>;
  readSpecs(keys: { jobId: string; version: number }[]): Promise<VersionedSpec[]>;
}

/** An execution whose claim is held: narrow, because the statement that locks must return little. */
export interface Claimed {
  id: string;
  claim: string;
  projectId: string;
  jobId: string;
  version: number;
  payloadVersion: number;
  /** Its own, not that of its job's version. */
  hasPayload: boolean;
  /** Its own if it is small; null: to be read. */
  payload: Json;
  trigger: Trigger;
  scheduledAt: Date;
  runAt: Date;
  lane: string;
  priority: number;
  attempt: number;
  rootId: string;
  startedAt: Date;
  firstStartedAt: Date;
  /** How much later than its row says it started, if it waited for its time or for a slot. */
  startedLateMs?: number | undefined;
}

/** Due, but not to be started as it is: another run of its job is going on, or it is later than its grace. */
export interface Blocked {
  id: string;
  projectId: string;
  jobId: string;
  cause: "overlap" | "late";
}

export type Skipped = Pick<Blocked, "id" | "projectId" | "jobId">;

export interface ClaimResult {
  claimed: Claimed[];
  /** Nothing was claimed: these are held since an earlier claim with the same tokens. */
  repeated: boolean;
  blocked: Blocked[];
  /** The database's time. */
  now: Date;
  /** Its time when it decided what is due. */
  decidedAt: Date;
  /** The next moment at which something becomes due that is not claimed. */
  nextRunAt: Date | null;
  /** Since when the oldest waits that is due and was left: slots or lanes are full, or others hold it. Not looked for where it is known without that there is more. */
  oldestDue: Date | null;
  /** Whether something is due, from where the claim began, that was not claimed. */
  moreIsDue: boolean;
  /** Where the next claim may begin: all that was found was of one kind, and more of it follows. */
  onward: Place | null;
}

/** In the order of time. */
export interface Place {
  runAt: Date;
  id: string;
}

export interface ClaimOptions {
  nodeId: string;
  /** Made by the claimer, one per slot, so that an ambiguous claim can be read back. */
  tokens: string[];
  lanes: { name: string; limit: number }[];
  laneLimit: number;
  order: "priority" | "oldest";
  /** Only with "priority": what lies before is left alone, and the answer knows nothing of it. For a claim among others that begin at the beginning. */
  from?: Place | null;
  /** Only with "priority": also what is due within so many milliseconds, to be started at its time, which is its `startedAt`. What may not start then is left alone. */
  aheadMs?: number;
}

/** What is claimed by name: lanes of handlers, by a worker or by an instance of the library. */
export interface HandlerClaimOptions {
  projectId: string;
  /** The worker's or the instance's id as it stands in `queue.holder`: `holder` of its registration. */
  holder: string;
  tokens: string[];
  /** If any was used before by the same holder, what it still holds is answered and nothing new is claimed. */
  tokensAre: "new" | "perhaps repeated";
  handlers: { name: string; free: number }[];
  order: "priority" | "oldest";
  /** As in ClaimOptions. */
  from?: Place | null;
  aheadMs?: number;
}

/** `startedLateMs`: how much later than its row says the execution started, if it did and this is its first attempt. */
export interface FinalSettlement {
  id: string;
  claim: string;
  jobId: string;
  state: "succeeded" | "failed" | "cancelled" | "unknown";
  reason: Reason | null;
  attempt: Attempt;
  result: Json;
  error: AttemptError | null;
  /** Set for what becomes a dead letter. */
  fingerprint: string | null;
  startedLateMs?: number | undefined;
}

export interface RetrySettlement {
  id: string;
  claim: string;
  jobId: string;
  delayMs: number;
  attempt: Attempt;
  startedLateMs?: number | undefined;
}

/** Ids; what is in neither of the first two was no longer held. */
export interface GivenBack {
  returned: string[];
  /** Still held: their job was deleted meanwhile. */
  deleted: string[];
  /** Jobs of which others waited for these. */
  waiting: string[];
}

export interface SettledExecution {
  id: string;
  jobId: string;
  /** Runs of the job that waited for this one: somebody must let the next go. */
  waiting: boolean;
  jobCompleted: boolean;
}

/** A claim whose holder died, or whose callback did not come in time; `attempt` is what is known of the latter's call. */
export interface LostClaim {
  claimed: Claimed;
  /** The name of the node or worker, or its id where the name is no longer known. */
  holder: string | null;
  holderKind: "node" | "worker" | null;
  cause: "holder_lost" | "callback_timeout";
  attempt: Attempt | null;
}

export interface QueueStore {
  claimDue(options: ClaimOptions): Promise<ClaimResult>;
  /** `nextRunAt` and `oldestDue` are about the named handlers only. */
  claimHandlers(options: HandlerClaimOptions): Promise<ClaimResult>;
  /** Which of the wanted handlers have something due now, and when the next of the others has. */
  dueHandlers(wanted: { projectId: string; handler: string }[]): Promise<{
    now: Date;
    due: { projectId: string; handler: string }[];
    nextRunAt: Date | null;
  }>;
  /** All that a holder has in hand. */
  held(holder: string): Promise<Claimed[]>;
  /** What became of claims that are no longer held: the execution's final state, or null if it goes on under another claim. */
  endedAs(projectId: string, items: { id: string; claim: string }[]): Promise<Map<string, ExecutionState | null>>;
  saveProgress(items: { id: string; claim: string; progress: Json }[]): Promise<void>;
  /** Fires that no worker took within their grace, for `resolveLate`. */
  readUntaken(limit: number): Promise<Blocked[]>;
  /** After a claim whose answer was lost: what it got, if it got anything. */
  readClaims(nodeId: string, tokens: string[]): Promise<Claimed[]>;
  /** The tokens under which the node holds executions: all that have run for a while, and of the others those asked for. */
  heldClaims(nodeId: string, executionIds: string[]): Promise<string[]>;
  readPayloads(ids: string[]): Promise<Map<string, Json>>;
  /** As if they had not been claimed; of what was not started. */
  giveBack(items: { id: string; claim: string; jobId: string }[]): Promise<GivenBack>;

  resolveOverlaps(ids: string[]): Promise<{ skipped: string[]; held: number; cancelled: string[] }>;
  /** `skipped` may have more than was asked about: earlier fires of the same jobs. */
  resolveLate(ids: string[]): Promise<{ skipped: Skipped[]; accepted: number }>;
  releaseWaiting(jobIds: string[]): Promise<number>;

  settleFinal(items: FinalSettlement[]): Promise<SettledExecution[]>;
  settleRetry(items: RetrySettlement[]): Promise<{ retrying: string[]; jobDeleted: string[] }>;
  /** Of settlements that match no claim: those that had taken effect before, with the same outcome. */
  settledBefore(
    items: { id: string; projectId: string; claim: string; outcome: Attempt["outcome"] }[],
  ): Promise<string[]>;
  /** Leaves the execution running without a holder until its callback or its deadline. */
  awaitCallback(item: {
    id: string;
    claim: string;
    timeoutMs: number;
    attempt: Attempt;
  }): Promise<"waiting" | "claim_lost">;
  /** What a callback's token stands for. */
  findCallback(
    id: string,
    claim: string,
  ): Promise<{ kind: "waiting"; claimed: Claimed; attempt: Attempt | null } | { kind: "done" } | { kind: "stale" }>;

  /** Executions whose holder's lease is over, and callbacks whose time is over. */
  readLost(options: {
    limit: number;
    /** For how long, without a break, this node could have heard a worker: those with a longer lease are given time. */
    heardMs: number;
  }): Promise<LostClaim[]>;
  /** Puts aside what has run for longer than a moment; answers how many claims it looked at, at most `limit`. */
  shelveClaims(limit: number): Promise<number>;
  promoteDue(options: { horizonMs: number; limit: number }): Promise<number>;
  releaseStuck(limit: number): Promise<number>;
  depth(): Promise<{ priorityBand: string; due: number }[]>;
}
