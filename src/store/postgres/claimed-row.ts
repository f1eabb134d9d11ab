import type { Claimed } from "../port/queue.ts";

/** From `queue q`: what its holder is told of an execution. */
export const CLAIMED = `q.id, q.claim, q.project_id, q.job_id, q.version, q.payload_version, q.payload is not null as has_payload, q.trigger,
  q.scheduled_at, q.run_at, q.lane, q.priority, q.attempt, q.root_id, q.started_at, q.first_started_at`;

export interface ClaimedRow {
  id: string;
  claim: string;
  project_id: string;
  job_id: string;
  version: number;
  payload_version: number;
  has_payload: boolean;
  trigger: Claimed["trigger"];
  scheduled_at: Date;
  run_at: Date;
  lane: string;
  priority: number;
  attempt: number;
  root_id: string;
  started_at: Date;
  first_started_at: Date;
}

export function toClaimed(row: ClaimedRow): Claimed {
  return {
    id: row.id,
    claim: row.claim,
    projectId: row.project_id,
    jobId: row.job_id,
    version: row.version,
    payloadVersion: row.payload_version,
    hasPayload: row.has_payload,
    trigger: row.trigger,
    scheduledAt: row.scheduled_at,
    runAt: row.run_at,
    lane: row.lane,
    priority: row.priority,
    attempt: row.attempt,
    rootId: row.root_id,
    startedAt: row.started_at,
    firstStartedAt: row.first_started_at,
  };
}
