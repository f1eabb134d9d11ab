// Creating and changing jobs, so that the ledger stays complete and nothing of the old version starts afterwards.
//
// A change runs as: lock job and cursor; remove the fires that are planned but not started; then take the database's time.
// That time is the moment of the change. Every fire that was claimed was due before it, because the removal waited for
// claims under way. What was removed or not yet planned up to that moment becomes `skipped` with the reason; the next fire
// is the first one strictly after it. Retries and triggers that wait are held, moved to the new version, or cancelled.
//
// Locks are taken in one order everywhere: job, cursor, queue, gate.

import type { Reason } from "../../contract/execution.ts";
import type { JobSpec, JobState } from "../../contract/job.ts";
import { type CompiledJob, compileJob, zoneOf } from "../../core/compiled-job.ts";
import type { IdSource } from "../../core/ids.ts";
import { plan, skippedStretches } from "../../core/plan.ts";
import { sameJson } from "../../core/same-json.ts";
import { toCursorPlan } from "../port/cursor-plan.ts";
import type { ChangeResult, JobRecord, SpecEditor } from "../port/jobs.ts";
import type { SkippedStretch } from "../port/queue.ts";
import { type Queryable, violatedConstraint } from "./database.ts";
import { readClock } from "./read-due-cursors.ts";
import { isUuid, readJob } from "./read-job.ts";
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
interface NewState {
  state: JobState;
  spec: JobSpec;
  version: number;
  pause: { reason: string | null; by: string | null; at: Date; until: Date | null } | null;
  expiresAt: Date | null;
}

/** Days of skipped instants written by one change: more than the ledger keeps. */
const STRETCHES_MAX = 4_000;

export async function createJob(
  db: Queryable,
  context: ChangeContext,
  projectId: string,
  edit: SpecEditor,
  options: { actor: string; source: string | null; paused: boolean; pauseReason?: string | null },
): Promise<ChangeResult<"created">> {
  let name = "";
  const create = async (tx: Queryable): Promise<ChangeResult<"created">> => {
    const now = await readClock(tx);
    const spec = edit(null, now);
    name = spec.name;
    const id = context.ids.next(now.getTime());
    const job = compileJob(id, 1, spec, now);
    const first = firstFire(job, null, now);
    const columns = sql.specColumns(spec);
    await tx.run(sql.insertJobSql, [
      id,
      projectId,
      spec.name,
      options.paused ? "paused" : "active",
      options.source,
      columns.tags,
      columns.priority,
      columns.lane,
      columns.overlap,
      columns.retainForMs,
      options.paused ? (options.pauseReason ?? null) : null,
      options.paused ? options.actor : null,
      now.toISOString(),
      JSON.stringify(spec),
      options.actor,
      first?.toISOString() ?? null,
      plannedUntil(first, now).toISOString(),
      zoneOf(spec),
      zoneOf(spec) === null ? null : context.tzdata,
    ]);
    if (!options.paused && first !== null) await planAtOnce(tx, context, projectId, job, { first, now, runs: 0 });
    return { kind: "done", job: (await readJob(tx, projectId, id))!, value: "created" };
  };
  return await nameTakenAsValue(
    () => db.transaction(create),
    () => name,
  );
}

export async function editJob(
  db: Queryable,
  context: ChangeContext,
  projectId: string,
  idOrName: string,
  edit: SpecEditor,
  options: { actor: string; expectedVersion?: number | undefined },
): Promise<ChangeResult<"updated" | "unchanged">> {
  let name = idOrName;
  const change = async (tx: Queryable): Promise<ChangeResult<"updated" | "unchanged">> => {
    const job = await lockJob(tx, projectId, idOrName);
    if (job === null) return { kind: "not_found" };
    if (job.state === "deleted") return { kind: "wrong_state", state: job.state };
    if (options.expectedVersion !== undefined && options.expectedVersion !== job.version)
      return { kind: "version_mismatch", version: job.version };
    const spec = edit(job, await readClock(tx));
    name = spec.name;
    if (sameJson(spec, job.spec)) return { kind: "done", job, value: "unchanged" };
    const version = job.version + 1;
    const reason = { code: "edited", message: `the job was changed to version ${version}` };
    const { now } = await reschedule(tx, context, job, reason, () => ({
      state: job.state === "completed" ? "active" : job.state,
      spec,
      version,
      pause: pauseOf(job),
      expiresAt: null,
    }));
    await tx.run(sql.insertVersionSql, [job.id, version, JSON.stringify(spec), now.toISOString(), options.actor]);
    return { kind: "done", job: (await readJob(tx, projectId, job.id))!, value: "updated" };
  };
  return await nameTakenAsValue(
    () => db.transaction(change),
    () => name,
  );
}

export async function pauseJob(
  db: Queryable,
  context: ChangeContext,
  projectId: string,
  idOrName: string,
  options: { actor: string; reason: string | null; until: Date | null },
): Promise<ChangeResult<"paused">> {
  return await db.transaction(async (tx) => {
    const job = await lockJob(tx, projectId, idOrName);
    if (job === null) return { kind: "not_found" };
    if (job.state !== "active" && job.state !== "paused") return { kind: "wrong_state", state: job.state };
    const message = options.reason === null ? "the job was paused" : `the job was paused: ${options.reason}`;
    await reschedule(tx, context, job, { code: "paused", message }, (now) => ({
      state: "paused",
      spec: job.spec,
      version: job.version,
      pause: {
        reason: options.reason,
        by: options.actor,
        at: job.pause === null ? now : new Date(job.pause.at),
        until: options.until,
      },
      expiresAt: null,
    }));
    return { kind: "done", job: (await readJob(tx, projectId, job.id))!, value: "paused" };
  });
}

export async function resumeJob(
  db: Queryable,
  context: ChangeContext,
  projectId: string,
  idOrName: string,
): Promise<ChangeResult<"resumed">> {
  return await db.transaction(async (tx) => {
    const job = await lockJob(tx, projectId, idOrName);
    if (job === null) return { kind: "not_found" };
    if (job.state === "active") return { kind: "done", job, value: "resumed" };
    if (job.state !== "paused") return { kind: "wrong_state", state: job.state };
    await reschedule(tx, context, job, { code: "paused", message: "the job was paused" }, () => ({
      state: "active",
      spec: job.spec,
      version: job.version,
      pause: null,
      expiresAt: null,
    }));
    return { kind: "done", job: (await readJob(tx, projectId, job.id))!, value: "resumed" };
  });
}

export async function deleteJob(
  db: Queryable,
  context: ChangeContext,
  projectId: string,
  idOrName: string,
  options: { expectedVersion?: number | undefined },
): Promise<ChangeResult<"deleted">> {
  return await db.transaction(async (tx) => {
    const job = await lockJob(tx, projectId, idOrName);
    if (job === null) return { kind: "not_found" };
    if (job.state === "deleted") return { kind: "done", job, value: "deleted" };
    if (options.expectedVersion !== undefined && options.expectedVersion !== job.version)
      return { kind: "version_mismatch", version: job.version };
    await reschedule(tx, context, job, { code: "deleted", message: "the job was deleted" }, (now) => ({
      state: "deleted",
      spec: job.spec,
      version: job.version,
      pause: null,
      expiresAt: new Date(now.getTime() + context.retentionMs),
    }));
    return { kind: "done", job: (await readJob(tx, projectId, job.id))!, value: "deleted" };
  });
}

async function lockJob(tx: Queryable, projectId: string, idOrName: string): Promise<JobRecord | null> {
  const byId = isUuid(idOrName);
  const [locked] = await tx.run<{ id: string }>(sql.lockJobSql, [
    projectId,
    byId ? idOrName : null,
    byId ? null : idOrName,
  ]);
  // Read anew: what the locking statement saw may be older than the lock it waited for.
  return locked ? await readJob(tx, projectId, locked.id) : null;
}

/** The heart of every change; see the head of this file. */
async function reschedule(
  tx: Queryable,
  context: ChangeContext,
  job: JobRecord,
  reason: Reason,
  become: (now: Date) => NewState,
): Promise<{ now: Date }> {
  const [cursor] = await tx.run<{ next_fire_at: Date | null; runs: number }>(sql.lockCursorSql, [job.id]);
  const removed = await tx.run<{ id: string; scheduled_at: Date }>(sql.removeUnstartedSql, [job.id]);
  const now = await readClock(tx);
  const next = become(now);
  const was = job.state === "paused" ? { code: "paused", message: pauseMessage(job) } : reason;
  await insertSkipped(tx, context, job, { cursor: cursor!.next_fire_at, removed, until: now, reason: was });

  const compiled = compileJob(job.id, next.version, next.spec, job.createdAt);
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
  await tx.run(sql.lockGateSql, [job.id]);
  await tx.run(sql.setGateSql, [job.id]);
  if (next.state === "active" && first !== null)
    await planAtOnce(tx, context, job.projectId, compiled, { first, now, runs });
  return { now };
}

/**
 * The first fire after a change: strictly after it, except that a one-time job may be set to a moment that has just
 * passed (within its grace; the validation saw to that) and then is due at once.
 */
function firstFire(job: CompiledJob, before: JobSpec | null, now: Date): Date | null {
  const { schedule } = job.spec;
  const isNewInstant =
    schedule !== null &&
    "at" in schedule &&
    !(before?.schedule && "at" in before.schedule && before.schedule.at === schedule.at);
  const first = job.timetable.next(isNewInstant ? 0 : now.getTime());
  return first === null ? null : new Date(first);
}

function plannedUntil(first: Date | null, now: Date): Date {
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
  const overdue: SkippedStretch[] = left.removed
    .filter((fire) => fire.scheduled_at <= left.until)
    .map((fire) => ({ id: fire.id, first: fire.scheduled_at, last: fire.scheduled_at, count: 1, reason }));
  const from = Math.max(left.cursor?.getTime() ?? Number.POSITIVE_INFINITY, left.until.getTime() - context.retentionMs);
  const unplanned =
    from > left.until.getTime()
      ? []
      : skippedStretches(
          compileJob(job.id, job.version, job.spec, job.createdAt),
          from,
          left.until.getTime(),
          reason,
          STRETCHES_MAX,
        ).stretches;
  await sql.insertSkipped(tx, { ...job, priority: job.spec.priority }, [
    ...overdue,
    ...unplanned.map((stretch) => ({ ...stretch, first: new Date(stretch.first), last: new Date(stretch.last) })),
  ]);
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
  ]);
}

/** What is due within the horizon is planned with the change itself, so that it starts on time. */
async function planAtOnce(
  tx: Queryable,
  context: ChangeContext,
  projectId: string,
  job: CompiledJob,
  { first, now, runs }: { first: Date; now: Date; runs: number },
): Promise<void> {
  const horizon = now.getTime() + context.horizonMs;
  if (first.getTime() > horizon) return;
  const cursor = { jobId: job.id, projectId, version: job.version, nextFireAt: first, runs, jobCreatedAt: now };
  const made = plan(job, { next: first.getTime(), runs }, { now: now.getTime(), horizon, ledgerFrom: 0 });
  await writePlans(tx, [toCursorPlan(cursor, job, made)]);
}

function pauseOf(job: JobRecord): NewState["pause"] {
  if (job.pause === null) return null;
  const { reason, by, at, until } = job.pause;
  return { reason, by, at: new Date(at), until: until === null ? null : new Date(until) };
}

function pauseMessage(job: JobRecord): string {
  return job.pause?.reason ? `the job was paused: ${job.pause.reason}` : "the job was paused";
}

async function nameTakenAsValue<T>(work: () => Promise<ChangeResult<T>>, name: () => string): Promise<ChangeResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "job_name") return { kind: "name_taken", name: name() };
    throw error;
  }
}
