// The public surface of `punctual/client`, written by hand.

export type { AddedMember, Login, Member, NewMember, Role, Session, Setup, Ways } from "../contract/account.ts";
export type { ApiKey, ApiKeyState, MadeApiKey, NewApiKey, Scope } from "../contract/api-key.ts";
export type { AuditEntry } from "../contract/audit.ts";
export type { BulkAnswer, BulkFailure } from "../contract/bulk.ts";
export type { DeadLetter, DeadLetterGroup, DeadLetterStatus } from "../contract/dead-letter.ts";
export type { ErrorCode, Problem } from "../contract/errors.ts";
export type { EventType, PunctualEvent } from "../contract/events.ts";
export type { Attempt, AttemptError, Execution, ExecutionState, Reason, Trigger } from "../contract/execution.ts";
export type { ExecutionCounts, ExecutionInclude } from "../contract/execution-list.ts";
export type { FailingJob, FailingJobs } from "../contract/failing-jobs.ts";
export type { DetailedHealth, Health } from "../contract/health.ts";
export type { Job, JobSpec, JobState, OverlapPolicy, Pause, Warning } from "../contract/job.ts";
export type { JobCounts } from "../contract/job-counts.ts";
export type { JobDay, JobDays } from "../contract/job-days.ts";
export type { JobInclude, JobSort } from "../contract/job-list.ts";
export type { JobRecent } from "../contract/job-recent.ts";
export type { JobVersion } from "../contract/job-version.ts";
export type { Json } from "../contract/json.ts";
export type { LogLevel, LogLine } from "../contract/log.ts";
export type { Me } from "../contract/me.ts";
export type { NodeView } from "../contract/node.ts";
export type { Page } from "../contract/page.ts";
export type { NewProject, Project } from "../contract/project.ts";
export type { Schedule, ScheduleInput } from "../contract/schedule.ts";
export type { SchedulePreview } from "../contract/schedule-preview.ts";
export type { Secret } from "../contract/secret.ts";
export type { JobSeries, SeriesPoint, StatsSeries } from "../contract/series.ts";
export type { SigningKey } from "../contract/signing-key.ts";
export type { JobStats, Stats } from "../contract/stats.ts";
export type { HttpTarget, ShellTarget, Target, WorkerTarget } from "../contract/target.ts";
export type { Timeline, TimelineLane, TimelinePlanned, TimelineSpan } from "../contract/timeline.ts";
export type { Triggered } from "../contract/trigger.ts";
export type { HandedOut, HandlerView, WorkerView } from "../contract/worker.ts";
export type { AuditFilter, AuditQuery } from "./audit.ts";
export type { BulkExecutionsInput, BulkJobsInput } from "./bulk.ts";
export { type CallbackInput, reportCallback } from "./callbacks.ts";
export {
  type FailingJobsQuery,
  type PasswordChange,
  PunctualClient,
  type SeriesQuery,
  type TimelineQuery,
} from "./client.ts";
export type { BulkDeadLettersInput, DeadLetterGroupQuery, DeadLetterQuery } from "./dead-letters.ts";
export { PunctualApiError, PunctualConnectionError } from "./errors.ts";
export type { EventOptions, StreamedEvent, StreamReset } from "./events.ts";
export type { PageQuery } from "./every-item.ts";
export type {
  CancelInput,
  ExecutionFilter,
  ExecutionQuery,
  FollowOptions,
  LogQuery,
  RetryInput,
} from "./executions.ts";
export type {
  ChangeOptions,
  CreateOptions,
  DeleteJobOptions,
  JobCountsFilter,
  JobDaysQuery,
  JobExecutionQuery,
  JobInput,
  JobQuery,
  JobSeriesQuery,
  NextQuery,
  PauseInput,
  PutOptions,
  ReadJobOptions,
  StatsQuery,
  TriggeredExecution,
} from "./jobs.ts";
export type { MemberChange } from "./members.ts";
export type { PreviewInput } from "./schedules.ts";
export type { SigningKeyInput } from "./signing-keys.ts";
export type { TargetTestInput } from "./targets.ts";
export type { CallOptions, ClientOptions } from "./transport.ts";
export type { TriggerInput, TriggerOfJob } from "./triggers.ts";
export { type WaitOptions, WaitTimeoutError } from "./wait-for-execution.ts";
export { type ExpressWebhookOptions, expressWebhooks } from "./webhooks/express.ts";
export { fastifyWebhooks } from "./webhooks/fastify.ts";
export { honoWebhooks } from "./webhooks/hono.ts";
export { verifyRequest } from "./webhooks/request.ts";
export { type WebhookRefusal, WebhookVerificationError } from "./webhooks/verification-error.ts";
export { webhookOf } from "./webhooks/verified-calls.ts";
export { type ReceivedWebhook, type VerifyOptions, verifyWebhook } from "./webhooks/verify-webhook.ts";
export type { WebhookCall } from "./webhooks/webhook-call.ts";
export {
  RunAborted,
  RunCancelled,
  RunLost,
  RunTimedOut,
  WorkerStopped,
} from "./worker/abort-reason.ts";
export type { Handler, HandlerOptions } from "./worker/handler.ts";
export type { WorkerOptions } from "./worker/options.ts";
export type { ErrorContext, OnError } from "./worker/problem.ts";
export { NoRetry, RetryAfter } from "./worker/retry.ts";
export type { Run, RunLog } from "./worker/run.ts";
export type { SafeParseSchema, Schema, StandardSchema } from "./worker/schema.ts";
export { Worker } from "./worker/worker.ts";
export type {
  ClaimInput,
  HeartbeatAnswer,
  HeartbeatInput,
  LogsAccepted,
  Registered,
  Registration,
  Settled,
  SettlementInput,
  WorkerLogsInput,
} from "./workers.ts";
