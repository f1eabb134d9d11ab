// The public surface of `punctual`.

export { RunAborted, RunCancelled, RunLost, RunTimedOut, WorkerStopped } from "../client/worker/abort-reason.ts";
export { NoRetry, RetryAfter } from "../client/worker/retry.ts";
export type { Run, RunLog } from "../client/worker/run.ts";
export { PunctualError } from "../contract/errors.ts";
export type { EventType } from "../contract/events.ts";
export type { Triggered } from "../contract/trigger.ts";
export type { SqlClient } from "../store/port/jobs.ts";
export type { JobOptions } from "./declared-jobs.ts";
export type { ListedJob, ListOptions, ScheduleOptions } from "./dynamic-jobs.ts";
export type { ProgramEvent } from "./listeners.ts";
export type { PunctualOptions } from "./options.ts";
export type { ProgramLog } from "./program-log.ts";
export { type JobHandle, Punctual } from "./punctual.ts";
export type { TriggerOptions } from "./triggering.ts";
