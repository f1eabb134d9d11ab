import { idFloor } from "../../core/ids.ts";
import type { JobStats, StatsWindow } from "../port/instance.ts";
import { type Queryable, statement } from "./database.ts";

/** Beyond this many executions only the latest are looked at: a job that runs every second has millions of them. */
const LOOKED_AT_MAX = 20_000;

export const jobStatsSql = statement(
  "job_stats",
  `with latest as materialized (
     select e.state, e.count, e.duration_ms, e.lateness_ms from punctual.execution e
     where e.project_id = $1 and e.job_id = $2 and e.id >= $3 and e.id < $4 order by e.id desc limit ${LOOKED_AT_MAX}
   )
   select
     (select jsonb_object_agg(s.state, s.n) from (select l.state, sum(l.count) as n from latest l group by l.state) s) as states,
     count(*) as rows,
     percentile_cont(array[0.5, 0.95, 0.99]) within group (order by l.duration_ms) as duration,
     percentile_cont(array[0.5, 0.95, 0.99]) within group (order by l.lateness_ms) as lateness
   from latest l`,
);

interface Row {
  states: Record<string, number> | null;
  rows: number;
  duration: number[] | null;
  lateness: number[] | null;
}

/** Of one job, straight from the ledger. */
export async function jobStats(
  db: Queryable,
  projectId: string,
  jobId: string,
  window: StatsWindow,
): Promise<JobStats> {
  const bounds = [idFloor(window.from.getTime()), idFloor(window.to.getTime())];
  const [row] = await db.run<Row>(jobStatsSql, [projectId, jobId, ...bounds]);
  return {
    states: row!.states ?? {},
    complete: row!.rows < LOOKED_AT_MAX,
    durationMs: percentiles(row!.duration),
    latenessMs: percentiles(row!.lateness),
  };
}

function percentiles(values: number[] | null): { p50: number | null; p95: number | null; p99: number | null } {
  return { p50: values?.[0] ?? null, p95: values?.[1] ?? null, p99: values?.[2] ?? null };
}
