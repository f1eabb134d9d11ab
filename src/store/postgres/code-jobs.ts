// Jobs that a program declares in its code. Instances of one program start together, in different releases, and die without
// a word; so every change to a declared job is made under the lock of the job's row, and looks again after it has the lock.
//
// An instance says every half minute that its jobs are still declared. That touches only the rows here, not the jobs: who
// sweeps at that moment waits for the row and then sees that it is fresh; who says it a moment later is told that the job
// was given up, and declares it again.

import { compareReleases } from "../../core/release.ts";
import {
  type App,
  type CodeJob,
  type CodeJobOutcome,
  type CodeJobStore,
  codeSource,
  type Declaration,
  NOT_IN_CODE,
} from "../port/code-jobs.ts";
import type { JobRecord } from "../port/jobs.ts";
import { createJob, editJob, lockJob, pauseJob, resumeJob } from "./change-job.ts";
import { type Queryable, statement } from "./database.ts";
import type { ChangeContext } from "./reschedule.ts";

/** A name can be given away and taken again while one waits for it, but hardly this often. */
const TRIES = 5;

export const readReleaseSql = statement(
  "read_code_release",
  "select c.release from punctual.code_job c where c.job_id = $1",
);

export const writeCodeJobSql = statement(
  "write_code_job",
  `insert into punctual.code_job (job_id, app, release, declared_at) values ($1, $2, $3, clock_timestamp())
   on conflict (job_id) do update set app = excluded.app, release = excluded.release, declared_at = excluded.declared_at,
     undeclared_at = null`,
);

export const refreshCodeJobsSql = statement(
  "refresh_code_jobs",
  `with mine as materialized (
     select c.job_id, c.undeclared_at from punctual.code_job c where c.job_id = any($1::uuid[]) order by c.job_id for update
   ),
   refreshed as (
     update punctual.code_job c set declared_at = clock_timestamp() from mine m
     where c.job_id = m.job_id and m.undeclared_at is null
   )
   select m.job_id from mine m where m.undeclared_at is not null`,
);

export const readUndeclaredSql = statement(
  "read_undeclared",
  `select c.job_id from punctual.code_job c join punctual.job j on j.id = c.job_id
   where c.app = $1 and j.project_id = $2 and c.undeclared_at is null and c.declared_at < now() - $3::bigint * interval '1 millisecond'
   order by c.declared_at limit $4`,
);

export const markUndeclaredSql = statement(
  "mark_undeclared",
  `update punctual.code_job c set undeclared_at = clock_timestamp()
   where c.job_id = $1 and c.undeclared_at is null and c.declared_at < now() - $2::bigint * interval '1 millisecond'
   returning c.job_id`,
);

export const readDeclaredSql = statement(
  "read_declared",
  `select c.job_id, c.release, c.declared_at from punctual.code_job c
   where c.job_id = any($1::uuid[]) and c.undeclared_at is null`,
);

/** Runs work that writes to the ledger, making days that are missing. */
type LedgerGuard = <T>(work: () => Promise<T>) => Promise<T>;

export function codeJobStore(db: Queryable, context: ChangeContext, ledger: LedgerGuard): CodeJobStore {
  return {
    declare: (app, jobs) => ledger(() => declare(db, context, app, jobs)),
    refresh: async (jobIds) =>
      (await db.run<{ job_id: string }>(refreshCodeJobsSql, [jobIds])).map(({ job_id }) => job_id),
    sweep: (app, options) => ledger(() => sweepUndeclared(db, context, app, options)),
    declared: async (jobIds) => {
      const rows = await db.run<{ job_id: string; release: string; declared_at: Date }>(readDeclaredSql, [jobIds]);
      return new Map(rows.map((row) => [row.job_id, { release: row.release, declaredAt: row.declared_at }]));
    },
  };
}

class NamesTaken extends Error {
  readonly jobs: { name: string; source: string | null }[];

  constructor(jobs: { name: string; source: string | null }[]) {
    super("declared jobs belong to others");
    this.jobs = jobs;
  }
}

async function declare(db: Queryable, context: ChangeContext, app: App, jobs: CodeJob[]): Promise<Declaration> {
  // In one order by everybody, so that two instances that start at once wait for each other and not in a circle.
  const ordered = [...jobs].sort((a, b) => (a.name < b.name ? -1 : 1));
  try {
    return await db.transaction(async (tx) => {
      const declared: CodeJobOutcome[] = [];
      const taken: { name: string; source: string | null }[] = [];
      for (const job of ordered) {
        const result = await declareOne(tx, context, app, job);
        if ("outcome" in result) declared.push(result);
        else taken.push(result);
      }
      // Undoes what was declared before the first of them was met.
      if (taken.length > 0) throw new NamesTaken(taken);
      return { kind: "declared", jobs: declared };
    });
  } catch (error) {
    if (error instanceof NamesTaken) return { kind: "taken", jobs: error.jobs };
    throw error;
  }
}

async function declareOne(
  tx: Queryable,
  context: ChangeContext,
  app: App,
  { name, edit }: CodeJob,
): Promise<CodeJobOutcome | { name: string; source: string | null }> {
  const source = codeSource(app.name);
  for (let tries = 1; ; tries += 1) {
    const job = await lockJob(tx, app.projectId, name);
    if (job !== null) return await redeclare(tx, context, app, job, edit);
    const made = await createJob(tx, context, app.projectId, edit, { actor: source, source, paused: false });
    if (made.kind === "done") {
      await tx.run(writeCodeJobSql, [made.job.id, app.name, app.release]);
      return { jobId: made.job.id, name, outcome: "created", resumed: false };
    }
    if (tries >= TRIES) throw new Error(`the job "${name}" could not be declared: ${made.kind}`);
  }
}

/** Under the lock of the job's row. */
async function redeclare(
  tx: Queryable,
  context: ChangeContext,
  app: App,
  job: JobRecord,
  edit: CodeJob["edit"],
): Promise<CodeJobOutcome | { name: string; source: string | null }> {
  const source = codeSource(app.name);
  const { id: jobId, projectId } = job;
  const { name } = job.spec;
  if (job.source !== source) return { name, source: job.source };
  const [before] = await tx.run<{ release: string }>(readReleaseSql, [jobId]);
  const newer = before !== undefined && compareReleases(before.release, app.release) > 0;
  const outcome = newer ? "left" : await editDeclared(tx, context, job, edit, source);
  await tx.run(writeCodeJobSql, [jobId, app.name, newer ? before.release : app.release]);
  const resumed = job.pause?.reason === NOT_IN_CODE;
  if (resumed) await resumeJob(tx, context, projectId, jobId);
  return { jobId, name, outcome, resumed };
}

async function editDeclared(
  tx: Queryable,
  context: ChangeContext,
  { id, projectId }: JobRecord,
  edit: CodeJob["edit"],
  source: string,
): Promise<"updated" | "unchanged"> {
  const edited = await editJob(tx, context, projectId, id, edit, { actor: source, source });
  if (edited.kind === "done") return edited.value;
  throw new Error(`the job ${id} could not be declared although it is locked: ${edited.kind}`);
}

async function sweepUndeclared(
  db: Queryable,
  context: ChangeContext,
  app: App,
  { afterMs, limit }: { afterMs: number; limit: number },
): Promise<{ jobId: string; name: string; paused: boolean }[]> {
  const found = await db.run<{ job_id: string }>(readUndeclaredSql, [app.name, app.projectId, afterMs, limit]);
  const swept: { jobId: string; name: string; paused: boolean }[] = [];
  for (const { job_id: jobId } of found) {
    const one = await db.transaction(async (tx) => {
      const job = await lockJob(tx, app.projectId, jobId);
      const marked = await tx.run(markUndeclaredSql, [jobId, afterMs]);
      if (job === null || marked.length === 0) return null;
      const paused = job.state === "active";
      if (paused)
        await pauseJob(tx, context, app.projectId, jobId, {
          actor: codeSource(app.name),
          reason: NOT_IN_CODE,
          until: null,
        });
      return { jobId, name: job.spec.name, paused };
    });
    if (one !== null) swept.push(one);
  }
  return swept;
}
