import type { KeyObject } from "node:crypto";
import type { Trigger } from "../contract/execution.ts";
import type { JobSpec } from "../contract/job.ts";
import type { Json } from "../contract/json.ts";
import type { LogLevel } from "../contract/log.ts";
import type { Target } from "../contract/target.ts";
import type { AttemptResult } from "../core/attempt.ts";
import type { AttemptSignal } from "./port/attempt-abort.ts";

/** One attempt to be made. Everything is fixed before the call: the payload at creation, the version at the claim. */
export interface Call<T extends Target = Target> {
  executionId: string;
  /** Sent as idempotency-key: the first execution's id in a chain of retries. */
  rootId: string;
  attempt: number;
  trigger: Trigger;
  scheduledAt: Date;
  /** When the attempt was claimed, by the database's clock: the job's timeout counts from here. */
  startedAt: Date;
  projectId: string;
  jobId: string;
  jobVersion: number;
  job: JobSpec & { target: T };
  payload: Json;
  /** Present for `completion: "callback"`: where the target reports the result. */
  callbackUrl: string | null;
  traceparent: string;
  reporter: Reporter;
}

/** What an attempt may tell while it runs. Bounded: what cannot be kept is counted and dropped. */
export interface Reporter {
  log(level: LogLevel, message: string, fields?: Record<string, Json>): void;
  /** Resolves when there is room for more lines; whoever reads from a pipe waits for it. */
  ready(): Promise<void>;
  progress(value: Json): void;
}

/** Of calls outside the ledger, which nobody follows. */
export const SILENT: Reporter = { log: () => {}, ready: async () => {}, progress: () => {} };

/** The target took the work and will report through its callback. */
export interface Accepted {
  outcome: "accepted";
  request: AttemptResult["request"];
  response: AttemptResult["response"];
  timings: AttemptResult["timings"];
}

export interface TargetRunner<T extends Target = Target> {
  /**
   * Makes the attempt and says how it ended; never throws for what the target or the network did. `signal` aborts
   * when the execution is cancelled, its claim is lost or its time is over; the reason tells which.
   */
  attempt(call: Call<T>, signal: AttemptSignal): Promise<AttemptResult | Accepted>;
  /** What the target said otherwise than by its answer, without the secrets that its call carried. Absent: it carries none. */
  cleaned?(projectId: string, job: JobSpec & { target: T }, said: Json): Promise<Json>;
  close(): Promise<void>;
}

/** Why an attempt was aborted; the `reason` of its signal. */
export type AbortReason = "timeout" | "cancelled" | "claim_lost" | "shutdown";

/** What a call needs that must not be stored with the job. Answers may be kept for a second, and then come at once. */
export interface Vault {
  /** Values by name; a name that does not exist is absent. */
  secrets(projectId: string, names: string[]): Kept<ReadonlyMap<string, string>>;
  /** The keys to sign with, newest first; with a name only that one. */
  signingKeys(projectId: string, name: string | undefined): Kept<readonly KeyObject[]>;
}

/** Something that is at hand, or has to be waited for: waiting for what is at hand would be most of what having it costs. */
export type Kept<T> = T | Promise<T>;
