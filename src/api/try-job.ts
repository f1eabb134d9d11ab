// Dry runs: a job as it would be after a request, refused for the same reasons, and nothing is kept.

import { PunctualError } from "../contract/errors.ts";
import type { JobInput, JobSpec } from "../contract/job.ts";
import { sameJson } from "../core/same-json.ts";
import { timetable } from "../core/schedule/timetable.ts";
import { replacement } from "../core/stored-job.ts";
import type { JobRecord, JobStore } from "../store/port/jobs.ts";
import type { ApiDeps } from "./deps.ts";
import { changed, expectedVersion, noJob, wrongSource } from "./job-change.ts";
import { etag, viewNew, viewOne } from "./job-view.ts";
import type { Answer } from "./route.ts";
import { type Caller, createsMissing, type Declaration, newJob, refuseOtherName, refuseTarget } from "./save-job.ts";
import { notTooOften } from "./too-often.ts";

/** As POST. */
export async function tryCreate(
  deps: ApiDeps,
  caller: Caller,
  input: JobInput,
  { paused, source }: { paused: boolean; source: string | undefined },
): Promise<Answer> {
  const { principal, store } = caller;
  await refuseTarget(deps, caller, input.target);
  await deps.jobRoom.demand(principal.projectId, store);
  const now = await store.now();
  const spec = newJob(deps, input)(null, now);
  await refuseTaken(store.jobs, principal.projectId, spec.name);
  const record = created(deps, spec, { projectId: principal.projectId, source: source ?? null, now });
  if (!paused) return { status: 200, body: await viewNew(store, record) };
  const pause = { reason: null, by: principal.name, at: now.toISOString(), until: null };
  return { status: 200, body: await viewNew(store, { ...record, state: "paused", pause, nextFireAt: null }) };
}

/** As PUT: a version higher by one means that something would change. */
export async function tryPut(
  deps: ApiDeps,
  caller: Caller,
  called: string,
  input: JobInput,
  { source, adopt }: Declaration,
): Promise<Answer> {
  const { principal, store, headers } = caller;
  await refuseTarget(deps, caller, input.target);
  refuseOtherName(called, input);
  const now = await store.now();
  const edit = notTooOften(
    deps,
    replacement(input, (current) => current ?? called),
  );
  const job = await store.jobs.find(principal.projectId, called);
  if (job === null) {
    if (!createsMissing(caller, called)) throw noJob(called);
    await deps.jobRoom.demand(principal.projectId, store);
    const record = created(deps, edit(null, now), { projectId: principal.projectId, source: source ?? null, now });
    return { status: 200, body: await viewNew(store, record), headers: etag(record.version) };
  }
  if (job.state === "deleted") changed({ kind: "wrong_state", state: job.state }, called);
  const expected = expectedVersion(headers["if-match"]);
  if (expected !== undefined && expected !== job.version)
    changed({ kind: "version_mismatch", version: job.version }, called);
  if (source !== undefined && source !== job.source && !adopt) throw wrongSource(called, job.source);
  const spec = edit(job, now);
  if (spec.name !== job.spec.name) await refuseTaken(store.jobs, principal.projectId, spec.name);
  const record = replaced(job, spec, { source, now });
  return { status: 200, body: await viewOne(store, record), headers: etag(record.version) };
}

function created(
  deps: ApiDeps,
  spec: JobSpec,
  { projectId, source, now }: { projectId: string; source: string | null; now: Date },
): JobRecord {
  return {
    id: deps.ids.next(now.getTime()),
    projectId,
    version: 1,
    state: "active",
    spec,
    source,
    drifted: false,
    pause: null,
    nextFireAt: firstFire(spec, now, now),
    createdAt: now,
    updatedAt: now,
  };
}

function replaced(
  job: JobRecord,
  spec: JobSpec,
  { source, now }: { source: string | undefined; now: Date },
): JobRecord {
  const declared = source === undefined ? {} : { source, drifted: false };
  if (sameJson(spec, job.spec)) return { ...job, ...declared };
  const state = job.state === "completed" ? "active" : job.state;
  return {
    ...job,
    drifted: job.source !== null,
    ...declared,
    spec,
    version: job.version + 1,
    state,
    nextFireAt: state === "active" ? firstFire(spec, now, job.createdAt) : null,
    updatedAt: now,
  };
}

async function refuseTaken(jobs: JobStore, projectId: string, name: string): Promise<void> {
  if ((await jobs.find(projectId, name)) !== null)
    throw new PunctualError("name_taken", `there is another job called "${name}"`);
}

function firstFire(spec: JobSpec, now: Date, createdAt: Date): Date | null {
  const next = timetable(spec.schedule, createdAt.getTime()).next(now.getTime());
  return next === null ? null : new Date(next);
}
