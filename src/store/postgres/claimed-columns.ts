// The answer to a claim: hundreds of executions, column by column, as one JSON value. Rows of their own would each be written out,
// sent, read and made into an object value by value, which costs more than claiming them.
//
// What most executions have in common, or have twice, is not told: the rest is an object of its own, and mostly absent.

import type { Json } from "../../contract/json.ts";
import type { Claimed } from "../port/queue.ts";
import { PAYLOAD, PAYLOAD_BYTES_MAX } from "./claimed-row.ts";

const HAS_OTHER_PAYLOAD = `q.payload is not null and (pg_column_size(q.payload) > ${PAYLOAD_BYTES_MAX} or q.payload::text = 'null')`;

const ms = (moment: string) => `(date_part('epoch', ${moment}) * 1000)::bigint`;

const SAME = "q.id, q.project_id, q.job_id, q.version, q.trigger, q.lane, q.priority";
const REST = `'payloadVersion', q.payload_version, 'hasPayload', q.payload is not null, 'scheduledAt', ${ms("q.scheduled_at")}, 'attempt', q.attempt,
  'rootId', q.root_id, 'firstStartedAt', ${ms("q.first_started_at")}`;
const HAS_REST = `q.attempt > 1 or q.payload_version <> q.version or q.scheduled_at <> q.run_at or q.root_id <> q.id or (${HAS_OTHER_PAYLOAD})`;

/** Of `queue q`, which the statement has claimed itself: `w.nth` says under which token, and all start at the same moment, or at their time if that is later. */
export const CLAIMED_NOW = `${SAME}, w.nth, ${PAYLOAD} as payload, ${ms("q.run_at")} as run_at,
  case when ${HAS_REST} then json_build_object(${REST}) end as rest`;

/** The same of what was claimed before: `claim` is its token. */
export const CLAIMED_BEFORE = `${SAME}, q.claim, ${PAYLOAD} as payload, ${ms("q.run_at")} as run_at,
  json_build_object(${REST}, 'startedAt', ${ms("q.started_at")}) as rest`;

/** SQL of the value, from rows `c` of the columns above; `token` is "nth" or "claim". */
export function claimedColumns(token: "nth" | "claim"): string {
  const columns = ["id", "project_id", "job_id", "version", "trigger", "lane", "priority", "payload", "run_at", "rest"];
  return `json_build_object('token', json_agg(c.${token}), ${columns.map((name) => `'${name}', json_agg(c.${name})`).join(", ")})`;
}

/** All of one length; null if there are none. */
export interface ClaimedColumns {
  token: (number | string)[] | null;
  id: string[];
  project_id: string[];
  job_id: string[];
  version: number[];
  trigger: Claimed["trigger"][];
  lane: string[];
  priority: number[];
  payload: Json[];
  run_at: number[];
  rest: (Rest | null)[];
}

interface Rest {
  payloadVersion: number;
  hasPayload: boolean;
  scheduledAt: number;
  attempt: number;
  rootId: string;
  firstStartedAt: number;
  startedAt?: number;
}

/** `tokens` are those of the claim, `now` is when it was made. */
export function fromColumns(columns: ClaimedColumns, tokens: readonly string[], now: Date): Claimed[] {
  return (columns.token ?? []).map((token, at) => {
    const runAt = new Date(columns.run_at[at]!);
    const startedAt = runAt > now ? runAt : now;
    const rest = columns.rest[at] ?? null;
    const payload = columns.payload[at]!;
    const version = columns.version[at]!;
    const id = columns.id[at]!;
    return {
      id,
      claim: typeof token === "string" ? token : tokens[token - 1]!,
      projectId: columns.project_id[at]!,
      jobId: columns.job_id[at]!,
      version,
      payloadVersion: rest?.payloadVersion ?? version,
      hasPayload: rest?.hasPayload ?? payload !== null,
      payload,
      trigger: columns.trigger[at]!,
      scheduledAt: rest === null ? runAt : new Date(rest.scheduledAt),
      runAt,
      lane: columns.lane[at]!,
      priority: columns.priority[at]!,
      attempt: rest?.attempt ?? 1,
      rootId: rest?.rootId ?? id,
      startedAt: rest?.startedAt === undefined ? startedAt : new Date(rest.startedAt),
      firstStartedAt: rest === null ? startedAt : new Date(rest.firstStartedAt),
    };
  });
}
