import { z } from "zod";
import { parseDuration } from "../../contract/duration.ts";
import { PunctualError } from "../../contract/errors.ts";
import { jobDaysQuery, jobDaysSchema } from "../../contract/job-days.ts";
import { idOrName } from "../../contract/parameters.ts";
import { jobSeriesQuery, jobSeriesSchema } from "../../contract/series.ts";
import { jobStatsSchema, statsQuery } from "../../contract/stats.ts";
import { type Zone, zoneNamed } from "../../core/cron/zone.ts";
import { localDays } from "../../core/local-days.ts";
import { unknownZone } from "../../core/schedule/zone-names.ts";
import { foundJob } from "../job-change.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { jobPointsOf, steppedWindow } from "../series-view.ts";
import { spanOf, windowOf } from "../stats-view.ts";

const params = z.object({ id: idOrName });

/** How one job has been doing. */
export function jobStatsRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/stats`,
      group: "Jobs",
      summary: "How a job has been doing",
      params,
      query: statsQuery,
      responses: { 200: { description: "Counts and percentiles.", schema: jobStatsSchema } },
      handler: readStats,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/series`,
      group: "Jobs",
      summary: "How a job has been doing, over time",
      params,
      query: jobSeriesQuery,
      responses: { 200: { description: "A point for each step.", schema: jobSeriesSchema } },
      handler: readSeries,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/days`,
      group: "Jobs",
      summary: "What became of a job's executions, day by day",
      params,
      query: jobDaysQuery,
      responses: { 200: { description: "Every day, oldest first.", schema: jobDaysSchema } },
      handler: readDays,
    }),
  ];
}

type OfJob<Query> = Call<z.infer<typeof params>, Query>;

async function readStats({
  params: { id },
  query,
  principal: { projectId },
  store,
}: OfJob<z.infer<typeof statsQuery>>): Promise<Answer> {
  const job = foundJob(await store.jobs.find(projectId, id), id);
  const window = windowOf(await store.now(), parseDuration(query.window));
  const stats = await store.stats.job(projectId, job.id, window);
  return { status: 200, body: { ...spanOf(query.window, window), ...stats } };
}

async function readSeries({
  params: { id },
  query,
  principal: { projectId },
  store,
}: OfJob<z.infer<typeof jobSeriesQuery>>): Promise<Answer> {
  const job = foundJob(await store.jobs.find(projectId, id), id);
  const window = steppedWindow(await store.now(), parseDuration(query.window), query.points);
  const { steps, complete } = await store.stats.jobSteps(projectId, job.id, window);
  const points = jobPointsOf(window, steps);
  return { status: 200, body: { ...spanOf(query.window, window), stepMs: window.stepMs, points, complete } };
}

async function readDays({
  params: { id },
  query,
  principal: { projectId },
  store,
}: OfJob<z.infer<typeof jobDaysQuery>>): Promise<Answer> {
  const zone = zoneOf(query.timezone);
  const job = foundJob(await store.jobs.find(projectId, id), id);
  const days = localDays(zone, await store.now(), query.days);
  const counts = await store.stats.jobWindowCounts(projectId, job.id, days);
  const items = days.map(({ date }, n) => ({ date, ...counts[n]! }));
  return { status: 200, body: { timezone: query.timezone, complete: items.every((day) => day.complete), items } };
}

function zoneOf(name: string): Zone {
  const zone = zoneNamed(name);
  if (zone !== null) return zone;
  const message = unknownZone(name);
  const details = [{ path: "timezone", code: "unknown_timezone", message, value: name }];
  throw new PunctualError("validation_failed", `timezone: ${message}`, { details });
}
