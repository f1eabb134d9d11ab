/** What happened, as told to SSE listeners, notifications and `on()`. Events are hints; the ledger is the truth. */
export const EVENT_TYPES = [
  "job.created",
  "job.updated",
  "job.paused",
  "job.resumed",
  "job.deleted",
  "job.completed",
  "execution.scheduled",
  "execution.started",
  "execution.retrying",
  "execution.succeeded",
  "execution.failed",
  "execution.cancelled",
  "execution.skipped",
  "execution.unknown",
  "attempt.failed",
  "node.joined",
  "node.left",
  "worker.joined",
  "worker.left",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export interface PunctualEvent {
  type: EventType;
  timestamp: string;
  /** null for what concerns the whole instance (nodes). */
  projectId: string | null;
  data: {
    jobId?: string;
    executionId?: string;
    state?: string;
    attempt?: number;
    reason?: { code: string; message: string } | null;
    node?: string;
    worker?: string;
  };
}
