import type { z } from "zod";
import { parseDuration } from "../../contract/duration.ts";
import { failingJobsQuery, failingJobsSchema } from "../../contract/failing-jobs.ts";
import { seriesQuery, statsSeriesSchema } from "../../contract/series.ts";
import { LATE_AFTER_MS, statsQuery, statsSchema } from "../../contract/stats.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { pointsOf, steppedWindow } from "../series-view.ts";
import { RATES_WINDOW_MS, ratesOf, spanOf, totalsOf, windowOf } from "../stats-view.ts";

/** The project's figures. */
export function statsRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/stats`,
      group: "Statistics",
      summary: "Totals, rates, errors and percentiles of the project",
      query: statsQuery,
      responses: { 200: { description: "The figures.", schema: statsSchema } },
      handler: readStats,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/stats/series`,
      group: "Statistics",
      summary: "The project's figures over time",
      query: seriesQuery,
      responses: { 200: { description: "A point for each step.", schema: statsSeriesSchema } },
      handler: readSeries,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/stats/failing`,
      group: "Statistics",
      summary: "The jobs that fail most",
      query: failingJobsQuery,
      responses: { 200: { description: "The jobs, each with its latest failure.", schema: failingJobsSchema } },
      handler: readFailing,
    }),
  ];
}

async function readStats({
  query,
  principal: { projectId },
  store,
}: Call<unknown, z.infer<typeof statsQuery>>): Promise<Answer> {
  const now = await store.now();
  const window = windowOf(now, parseDuration(query.window));
  const [counts, minutes, deadLetters] = await Promise.all([
    store.stats.totals(projectId, window),
    store.stats.minutes(projectId, windowOf(now, RATES_WINDOW_MS)),
    store.stats.openDeadLetters(projectId),
  ]);
  const figures = { ...totalsOf(counts), lateAfterMs: LATE_AFTER_MS, ...ratesOf(minutes, now), deadLetters };
  return { status: 200, body: { ...spanOf(query.window, window), ...figures } };
}

async function readSeries({
  query,
  principal: { projectId },
  store,
}: Call<unknown, z.infer<typeof seriesQuery>>): Promise<Answer> {
  const window = steppedWindow(await store.now(), parseDuration(query.window), query.points);
  const points = pointsOf(window, await store.stats.steps(projectId, window));
  return { status: 200, body: { ...spanOf(query.window, window), stepMs: window.stepMs, points } };
}

async function readFailing({
  query,
  principal: { projectId },
  store,
}: Call<unknown, z.infer<typeof failingJobsQuery>>): Promise<Answer> {
  const window = windowOf(await store.now(), parseDuration(query.window));
  const { items, complete } = await store.stats.failing(projectId, window, query.limit);
  return { status: 200, body: { ...spanOf(query.window, window), complete, items } };
}
