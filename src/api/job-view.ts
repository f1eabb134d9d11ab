import type { Execution } from "../contract/execution.ts";
import type { Job, JobSpec } from "../contract/job.ts";
import type { JobInclude } from "../contract/job-list.ts";
import { jobWarnings } from "../core/job-warnings.ts";
import { describe } from "../core/schedule/describe.ts";
import { withoutDelay } from "../core/schedule/stored-schedule.ts";
import type { JobRecord } from "../store/port/jobs.ts";
import type { Store } from "../store/port.ts";
import { withHandlerWarnings } from "./handler-warnings.ts";

/** A job as clients read it, but for what others make of it. `latest` are its latest executions, newest first. */
export function jobView(record: JobRecord, latest: Execution[]): Job {
  return {
    id: record.id,
    ...specView(record.spec),
    version: record.version,
    state: record.state,
    pause: record.pause,
    source: record.source,
    drifted: record.drifted,
    scheduleDescription: describe(record.spec.schedule),
    nextFireAt: record.nextFireAt?.toISOString() ?? null,
    lastExecution: latest[0] ?? null,
    warnings: jobWarnings(record.spec),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}

/** In the order of the contract; the database keeps none. */
export function specView(spec: JobSpec): JobSpec {
  const {
    name,
    description,
    tags,
    schedule,
    target,
    payload,
    priority,
    timeout,
    delivery,
    retry,
    overlap,
    misfire,
    ...rest
  } = spec;
  const shown = withoutDelay(schedule);
  return {
    name,
    description,
    tags,
    schedule: shown,
    target,
    payload,
    priority,
    timeout,
    delivery,
    retry,
    overlap,
    misfire,
    ...rest,
  };
}

/** After a change: read again, because what was planned with it is not in the record of the change. */
export async function viewChanged(store: Store, { projectId, id }: JobRecord): Promise<Job> {
  return await viewOne(store, (await store.jobs.find(projectId, id))!);
}

export async function viewOne(store: Store, record: JobRecord): Promise<Job> {
  return (await viewMany(store, record.projectId, [record]))[0]!;
}

const LAST_EXECUTIONS = 10;

/** The jobs of a page, in its order, with what was asked for besides. */
export async function viewMany(
  store: Store,
  projectId: string,
  records: JobRecord[],
  include: JobInclude[] = [],
): Promise<Job[]> {
  const ids = records.map(({ id }) => id);
  const several = include.includes("lastExecutions");
  const [latest, recent] = await Promise.all([
    store.executions.latest(projectId, ids, several ? LAST_EXECUTIONS : 1),
    include.includes("recent") ? store.executions.recent(projectId, ids) : null,
  ]);
  const view = records.map((record): Job => {
    const executions = latest.get(record.id) ?? [];
    return {
      ...jobView(record, executions),
      ...(several ? { lastExecutions: executions } : {}),
      ...(recent === null ? {} : { recent: recent.get(record.id)! }),
    };
  });
  return await withHandlerWarnings(store, projectId, view);
}

/** One that has run nothing yet. */
export async function viewNew(store: Store, record: JobRecord): Promise<Job> {
  return (await withHandlerWarnings(store, record.projectId, [jobView(record, [])]))[0]!;
}

/** A job as it stands in the audit. */
export function noted({ id, spec }: JobRecord): { kind: string; id: string; name: string } {
  return { kind: "job", id, name: spec.name };
}

export function etag(version: number): { etag: string } {
  return { etag: `"${version}"` };
}
