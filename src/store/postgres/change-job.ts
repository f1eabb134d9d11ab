// Creating and changing jobs. What a change means for fires that are planned, waiting or running is in reschedule.ts.

import { compileJob, zoneOf } from "../../core/compiled-job.ts";
import { sameJson } from "../../core/same-json.ts";
import type { ChangeResult, JobRecord, SpecEditor } from "../port/jobs.ts";
import { type Queryable, violatedConstraint } from "./database.ts";
import { enterProject } from "./enter-project.ts";
import { findJob } from "./find-job.ts";
import { readClock } from "./read-due-cursors.ts";
import { isUuid, readJob } from "./read-job.ts";
import { type ChangeContext, firstFire, type NewState, planAtOnce, plannedUntil, reschedule } from "./reschedule.ts";
import * as sql from "./write-job.ts";

export async function createJob(
  db: Queryable,
  context: ChangeContext,
  projectId: string,
  edit: SpecEditor,
  options: { actor: string; source: string | null; paused: boolean; pauseReason?: string | null },
): Promise<ChangeResult<"created">> {
  let name = "";
  const create = async (tx: Queryable): Promise<ChangeResult<"created">> => {
    const now = await enterProject(tx, projectId);
    if (now === null) return { kind: "not_found" };
    const spec = edit(null, now);
    name = spec.name;
    const id = context.ids.next(now.getTime());
    const job = compileJob({ id, projectId, createdAt: now }, 1, spec);
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
      columns.uses,
    ]);
    if (!options.paused && first !== null) await planAtOnce(tx, context, job, { first, now, runs: 0 });
    return { kind: "done", job: (await findJob(tx, projectId, id))!, value: "created" };
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
  options: {
    actor: string;
    expectedVersion?: number | undefined;
    source?: string | undefined;
    adopt?: boolean | undefined;
  },
): Promise<ChangeResult<"updated" | "unchanged">> {
  let name = idOrName;
  const change = async (tx: Queryable): Promise<ChangeResult<"updated" | "unchanged">> => {
    const job = await lockJob(tx, projectId, idOrName);
    if (job === null) return { kind: "not_found" };
    if (job.state === "deleted") return { kind: "wrong_state", state: job.state };
    if (options.expectedVersion !== undefined && options.expectedVersion !== job.version)
      return { kind: "version_mismatch", version: job.version };
    const { source = null } = options;
    if (source !== null && source !== job.source && !options.adopt) return { kind: "wrong_source", source: job.source };
    const spec = edit(job, await readClock(tx));
    name = spec.name;
    if (sameJson(spec, job.spec)) return await declareUnchanged(tx, job, source);
    const version = job.version + 1;
    const reason = { code: "edited", message: `the job was changed to version ${version}` };
    const { now } = await reschedule(tx, context, job, reason, () => ({
      state: job.state === "completed" ? "active" : job.state,
      spec,
      version,
      pause: pauseOf(job),
      expiresAt: null,
    }));
    await tx.run(sql.insertVersionSql, [
      job.id,
      version,
      JSON.stringify(spec),
      now.toISOString(),
      options.actor,
      source,
    ]);
    if (source !== null && source !== job.source) await tx.run(sql.declareJobSql, [job.id, source]);
    return { kind: "done", job: (await readJob(tx, projectId, job.id))!, value: "updated" };
  };
  return await nameTakenAsValue(
    () => db.transaction(change),
    () => name,
  );
}

/** What a source declares as it is anyway is no new version, but from now on it is what that source says. */
async function declareUnchanged(
  tx: Queryable,
  job: JobRecord,
  source: string | null,
): Promise<ChangeResult<"updated" | "unchanged">> {
  if (source === null || (source === job.source && !job.drifted)) return { kind: "done", job, value: "unchanged" };
  await tx.run(sql.declareJobSql, [job.id, source]);
  return { kind: "done", job: (await readJob(tx, job.projectId, job.id))!, value: "updated" };
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
  options: { expectedVersion?: number | undefined; source?: string | undefined },
): Promise<ChangeResult<"deleted">> {
  return await db.transaction(async (tx) => {
    const job = await lockJob(tx, projectId, idOrName);
    if (job === null) return { kind: "not_found" };
    if (job.state === "deleted") return { kind: "done", job, value: "deleted" };
    if (options.expectedVersion !== undefined && options.expectedVersion !== job.version)
      return { kind: "version_mismatch", version: job.version };
    if (options.source !== undefined && options.source !== job.source)
      return { kind: "wrong_source", source: job.source };
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

export async function lockJob(tx: Queryable, projectId: string, idOrName: string): Promise<JobRecord | null> {
  const byId = isUuid(idOrName);
  const [locked] = await tx.run<{ id: string }>(sql.lockJobSql, [
    projectId,
    byId ? idOrName : null,
    byId ? null : idOrName,
  ]);
  // Read anew: what the locking statement saw may be older than the lock it waited for.
  return locked ? await readJob(tx, projectId, locked.id) : null;
}

function pauseOf(job: JobRecord): NewState["pause"] {
  if (job.pause === null) return null;
  const { reason, by, at, until } = job.pause;
  return { reason, by, at: new Date(at), until: until === null ? null : new Date(until) };
}

async function nameTakenAsValue<T>(work: () => Promise<ChangeResult<T>>, name: () => string): Promise<ChangeResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "job_name") return { kind: "name_taken", name: name() };
    throw error;
  }
}
