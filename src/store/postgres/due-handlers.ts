import { type Queryable, statement } from "./database.ts";
import { handlerLanes } from "./handler-lanes.ts";

/** In the words of the index by time. */
const IN_LANE =
  "q.state <> 'running' and q.hold is null and q.lane like '@%' and q.project_id = w.project_id and q.lane = l.lane and q.priority >= 0";

/** For many who wait: one look that says for whom a claim is worth the while. Two probes of the index for each handler. */
export const dueHandlersSql = statement(
  "due_handlers",
  `select clock_timestamp() as now, w.project_id, w.name, min(n.run_at) as run_at
   from unnest($1::uuid[], $2::text[]) as w (project_id, name) cross join ${handlerLanes("w.name")} left join lateral (
     select q.run_at from punctual.queue q where ${IN_LANE} order by q.run_at limit 1) n on true
   group by w.project_id, w.name`,
);

export async function dueHandlers(
  db: Queryable,
  wanted: { projectId: string; handler: string }[],
): Promise<{ now: Date; due: { projectId: string; handler: string }[]; nextRunAt: Date | null }> {
  const rows = await db.run<{ now: Date; project_id: string; name: string; run_at: Date | null }>(dueHandlersSql, [
    wanted.map(({ projectId }) => projectId),
    wanted.map(({ handler }) => handler),
  ]);
  const now = rows[0]!.now;
  const present = rows.flatMap((row) => (row.run_at === null ? [] : [{ ...row, run_at: row.run_at }]));
  const [due, later] = [present.filter((row) => row.run_at <= now), present.filter((row) => row.run_at > now)];
  return {
    now,
    due: due.map((row) => ({ projectId: row.project_id, handler: row.name })),
    nextRunAt: later.length === 0 ? null : new Date(Math.min(...later.map((row) => row.run_at.getTime()))),
  };
}
