import type { Json } from "../../contract/json.ts";
import type { Claimed } from "../port/queue.ts";

/** Payloads up to this size come with the claim: a statement that locks must return little, and most are small. */
export const PAYLOAD_BYTES_MAX = 100;
/** Of `queue q`: its payload, if it comes with the claim. */
export const PAYLOAD = `case when pg_column_size(q.payload) <= ${PAYLOAD_BYTES_MAX} then q.payload end`;

/** From `queue q`: what its holder is told of an execution. What is mostly the same as something beside it is left out then. */
export const CLAIMED = `q.id, q.claim, q.project_id, q.job_id, q.version, q.payload_version, q.payload is not null as has_payload,
  ${PAYLOAD} as payload, q.trigger,
  nullif(q.scheduled_at, q.run_at) as scheduled_at, q.run_at, q.lane, q.priority, q.attempt, nullif(q.root_id, q.id) as root_id, q.started_at,
  nullif(q.first_started_at, q.started_at) as first_started_at`;

export interface ClaimedRow {
  id: string;
  claim: string;
  project_id: string;
  job_id: string;
  version: number;
  payload_version: number;
  has_payload: boolean;
  payload: Json;
  trigger: Claimed["trigger"];
  scheduled_at: Date | null;
  run_at: Date;
  lane: string;
  priority: number;
  attempt: number;
  root_id: string | null;
  started_at: Date;
  first_started_at: Date | null;
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
    payload: row.payload,
    trigger: row.trigger,
    scheduledAt: row.scheduled_at ?? row.run_at,
    runAt: row.run_at,
    lane: row.lane,
    priority: row.priority,
    attempt: row.attempt,
    rootId: row.root_id ?? row.id,
    startedAt: row.started_at,
    firstStartedAt: row.first_started_at ?? row.started_at,
  };
}
