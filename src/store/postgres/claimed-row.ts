import type { Json } from "../../contract/json.ts";
import type { Claimed } from "../port/queue.ts";

/** Payloads up to this size come with the claim: a statement that locks must return little, and most are small. */
const PAYLOAD_BYTES_MAX = 100;

// From `queue q`: what its holder is told of an execution. What is mostly the same, or the same as something beside it, is
// left out then: of hundreds of rows each value takes its time to be written out and read again.
const columns = (given: {
  claim: string;
  startedAt: string;
}) => `q.id, ${given.claim}, q.project_id, q.job_id, q.version,
  nullif(q.payload_version, q.version) as payload_version, nullif(q.payload is not null, false) as has_payload,
  case when pg_column_size(q.payload) <= ${PAYLOAD_BYTES_MAX} then q.payload end as payload, nullif(q.trigger, 'schedule') as trigger,
  nullif(q.scheduled_at, q.run_at) as scheduled_at, q.run_at, q.lane, q.priority, nullif(q.attempt, 1) as attempt,
  nullif(q.root_id, q.id) as root_id, ${given.startedAt} as started_at, nullif(q.first_started_at, q.started_at) as first_started_at`;

/** Of what is held. */
export const CLAIMED = columns({ claim: "q.claim", startedAt: "q.started_at" });

/** Of what the statement has claimed itself: `w.nth` says under which token, and all start at the same moment. */
export const CLAIMED_NOW = columns({
  claim: "null::uuid as claim, w.nth::integer as nth",
  startedAt: "null::timestamptz",
});

/** The same for what was claimed before. */
export const CLAIMED_BEFORE = columns({ claim: "q.claim, null::integer as nth", startedAt: "q.started_at" });

export interface ClaimedRow {
  id: string;
  claim: string;
  project_id: string;
  job_id: string;
  version: number;
  payload_version: number | null;
  has_payload: true | null;
  payload: Json;
  trigger: Claimed["trigger"] | null;
  scheduled_at: Date | null;
  run_at: Date;
  lane: string;
  priority: number;
  attempt: number | null;
  root_id: string | null;
  started_at: Date;
  first_started_at: Date | null;
}

export interface ClaimedNowRow extends Omit<ClaimedRow, "claim" | "started_at"> {
  claim: string | null;
  nth: number | null;
  started_at: Date | null;
}

export function toClaimed(row: ClaimedRow): Claimed {
  return toClaimedNow({ ...row, nth: null }, row.claim, row.started_at);
}

export function toClaimedNow(row: ClaimedNowRow, claim: string, now: Date): Claimed {
  const startedAt = row.started_at ?? now;
  return {
    id: row.id,
    claim,
    projectId: row.project_id,
    jobId: row.job_id,
    version: row.version,
    payloadVersion: row.payload_version ?? row.version,
    hasPayload: row.has_payload ?? false,
    payload: row.payload,
    trigger: row.trigger ?? "schedule",
    scheduledAt: row.scheduled_at ?? row.run_at,
    runAt: row.run_at,
    lane: row.lane,
    priority: row.priority,
    attempt: row.attempt ?? 1,
    rootId: row.root_id ?? row.id,
    startedAt,
    firstStartedAt: row.first_started_at ?? startedAt,
  };
}
