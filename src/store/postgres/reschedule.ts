// What every change of a job does to its schedule, so that the ledger stays complete and nothing of the old version starts
// afterwards.
//
// A change runs as: lock job and cursor; remove the fires that are planned but not started, and lock what else waits, so that nobody
// claims it; wait for what was claimed a moment ahead of its time, which nobody can call back; then take the database's time. That time is the moment of the change. Every fire
// that was claimed was due before it, because the removal waited for claims under way. What was removed or not yet planned up to
// that moment becomes `skipped` with the reason; the next fire is the first one strictly after it. Retries and triggers that wait
// are held, moved to the new version, or cancelled.
//
// Locks are taken in one order everywhere: job, cursor, queue, gate.

import type { Reason } from "../../contract/execution.ts";
import type { JobSpec, JobState } from "../../contract/job.ts";
import { type CompiledJob, compileJob, zoneOf } from "../../core/compiled-job.ts";
import type { IdSource } from "../../core/ids.ts";
import { plan, type Stretch, skippedStretches } from "../../core/plan.ts";
import type { JobRecord } from "../port/jobs.ts";
import type { Queryable } from "./database.ts";
import { readClock } from "./read-due-cursors.ts";
import * as sql from "./write-job.ts";
import { writePlans } from "./write-plans.ts";

export interface ChangeContext {
  ids: IdSource;
  /** Version of the time zone data of this process. */
  tzdata: string;
  horizonMs: number;
  retentionMs: number;
}

/** What a change does to the job's own row, beside its schedule. */
export interface NewState {
  state: JobState;
  spec: JobSpec;
  version: number;
  pause: { reason: string | null; by: string | null; at: Date; until: Date | null } | null;
  expiresAt: Date | null;
}

/** Days of skipped instants written by one change: more than the ledger keeps. */
const STRETCHES_MAX = 4_000;

/** The heart of every change; see the head of this file. */
export async function reschedule(
  tx: Queryable,
  context: ChangeContext,
  job: JobRecord,
  reason: Reason,
  become: (now: Date) => NewState,
): Promise<{ now: Date }> {
  const [cursor] = await tx.run<{ next_fire_at: Date | null; runs: number }>(sql.lockCursorSql, [job.id]);
  const removed = await tx.run<{ id: string; scheduled_at: Date }>(sql.removeUnstartedSql, [job.id]);
  await tx.run(sql.lockWaitingSql, [job.id]);
  await tx.run(sql.awaitStartsSql, [job.id]);
  const now = await readClock(tx);
  const next = become(now);
  const was = job.state === "paused" ? { code: "paused", message: pauseMessage(job) } : reason;
  await insertSkipped(tx, context, job, { cursor: cursor!.next_fire_at, removed, until: now, reason: was });

  const compiled = compileJob(job, next.version, next.spec);
  const runs = cursor!.runs - removed.length;
  const first = next.state === "deleted" || runs >= compiled.maxRuns ? null : firstFire(compiled, job.spec, now);
  // A schedule that is over before it could go on again has nothing left to wait for.
  const over = first === null && next.spec.schedule !== null && next.state === "active";
  await updateJob(tx, job.id, over ? completed(next, now) : next, now);
  await tx.run(sql.updateCursorSql, [
    job.id,
    next.version,
    first?.toISOString() ?? null,
    plannedUntil(first, now).toISOString(),
    runs,
    next.state !== "active",
    zoneOf(next.spec),
    zoneOf(next.spec) === null ? null : context.tzdata,
  ]);
  await changeWaiting(tx, context, job, next);
  if (first !== null) await tx.run(sql.goOnSql, [job.id]);
  await tx.run(sql.lockGateSql, [job.id]);
  await tx.run(sql.setGateSql, [job.id]);
  if (next.state === "active" && first !== null) await planAtOnce(tx, context, compiled, { first, now, runs });
  return { now };
}

/**
 * The first fire after a change: strictly after it, except that a one-time job may be set to a moment that has just
 * passed (within its grace; the validation saw to that) and then is due at once.
 */
export function firstFire(job: CompiledJob, before: JobSpec | null, now: Date): Date | null {
  const { schedule } = job.spec;
  const isNewInstant =
    schedule !== null &&
    "at" in schedule &&
    !(before?.schedule && "at" in before.schedule && before.schedule.at === schedule.at);
  const first = job.timetable.next(isNewInstant ? 0 : now.getTime());
  return first === null ? null : new Date(first);
}

export function plannedUntil(first: Date | null, now: Date): Date {
  return first === null || first > now ? now : new Date(first.getTime() - 1);
}

function completed(next: NewState, now: Date): NewState {
  const { retainForMs } = sql.specColumns(next.spec);
  return {
    ...next,
    state: "completed",
    expiresAt: retainForMs === null ? null : new Date(now.getTime() + retainForMs),
  };
}

/** The instants up to the change that were not started, as rows of the ledger. */
async function insertSkipped(
  tx: Queryable,
  context: ChangeContext,
  job: JobRecord,
  left: { cursor: Date | null; removed: { id: string; scheduled_at: Date }[]; until: Date; reason: Reason },
): Promise<void> {
  const { reason } = left;
  const overdue: Stretch[] = left.removed
    .filter((fire) => fire.scheduled_at <= left.until)
    .map(({ id, scheduled_at }) => ({
      id,
      first: scheduled_at.getTime(),
      last: scheduled_at.getTime(),
      count: 1,
      reason,
    }));
  const from = Math.max(left.cursor?.getTime() ?? Number.POSITIVE_INFINITY, left.until.getTime() - context.retentionMs);
  const unplanned =
    from > left.until.getTime()
      ? []
      : skippedStretches(compileJob(job, job.version, job.spec), from, left.until.getTime(), reason, STRETCHES_MAX)
          .stretches;
  await sql.insertSkipped(tx, { ...job, priority: job.spec.priority }, [...overdue, ...unplanned]);
}

async function changeWaiting(tx: Queryable, context: ChangeContext, job: JobRecord, next: NewState): Promise<void> {
  if (next.state === "deleted") await tx.run(sql.cancelWaitingSql, [job.id]);
  else if (next.state === "paused" && job.state !== "paused") await tx.run(sql.holdWaitingSql, [job.id]);
  else if (next.state === "active" && job.state === "paused")
    await tx.run(sql.releaseHeldSql, [job.id, context.horizonMs]);
  if (next.version !== job.version) {
    const { lane, overlap } = sql.specColumns(next.spec);
    await tx.run(sql.moveToVersionSql, [job.id, next.version, lane, overlap !== "allow"]);
  }
}

async function updateJob(tx: Queryable, id: string, next: NewState, now: Date): Promise<void> {
  const columns = sql.specColumns(next.spec);
  await tx.run(sql.updateJobSql, [
    id,
    next.spec.name,
    next.state,
    next.version,
    columns.tags,
    columns.priority,
    columns.lane,
    columns.overlap,
    columns.retainForMs,
    next.pause?.reason ?? null,
    next.pause?.by ?? null,
    next.pause?.at.toISOString() ?? null,
    next.pause?.until?.toISOString() ?? null,
    now.toISOString(),
    next.expiresAt?.toISOString() ?? null,
    columns.uses,
  ]);
}

/** What is due within the horizon is planned with the change itself, so that it starts on time. */
export async function planAtOnce(
  tx: Queryable,
  context: ChangeContext,
  job: CompiledJob,
  { first, now, runs }: { first: Date; now: Date; runs: number },
): Promise<void> {
  const horizon = now.getTime() + context.horizonMs;
  if (first.getTime() > horizon) return;
  const cursor = { jobId: job.id, version: job.version, nextFireAt: first.getTime(), runs };
  const made = plan(job, { next: first.getTime(), runs }, { now: now.getTime(), horizon, ledgerFrom: 0 });
  await writePlans(tx, [{ cursor, job, plan: made }]);
}

function pauseMessage(job: JobRecord): string {
  return job.pause?.reason ? `the job was paused: ${job.pause.reason}` : "the job was paused";
}
