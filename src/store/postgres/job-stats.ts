import { idFloor } from "../../core/ids.ts";
import type { JobStats, StatsWindow } from "../port/stats.ts";
import { type Queryable, statement } from "./database.ts";

/** Beyond this many executions only the latest are looked at: a job that runs every second has millions of them. */
export const LOOKED_AT_MAX = 20_000;

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

/** What percentile_cont gave for 0.5, 0.95 and 0.99, to a tenth. */
export function percentiles(values: number[] | null): JobStats["durationMs"] {
  const [p50 = null, p95 = null, p99 = null] = (values ?? []).map((value) => Math.round(value * 10) / 10);
  return { p50, p95, p99 };
}
