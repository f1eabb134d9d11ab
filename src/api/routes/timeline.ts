import type { z } from "zod";
import { timelineQuery, timelineSchema } from "../../contract/timeline.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { laneView, timelineWindow } from "../timeline-view.ts";
import { jobFilter } from "../written-filter.ts";

export function timelineRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/timeline`,
      group: "Statistics",
      summary: "What jobs did and will do in a stretch of time",
      query: timelineQuery,
      responses: { 200: { description: "A page of jobs by name, each with its lane.", schema: timelineSchema } },
      handler: readTimeline,
    }),
  ];
}

async function readTimeline({
  query,
  principal: { projectId },
  store,
}: Call<unknown, z.infer<typeof timelineQuery>>): Promise<Answer> {
  const window = timelineWindow(query, await store.now());
  const page = { sort: "name", after: query.cursor ?? null, limit: query.limit } as const;
  const { items: jobs, next } = await store.jobs.list(projectId, jobFilter(query), page);
  const ids = jobs.map(({ id }) => id);
  const lanes = await store.timeline.lanes(projectId, ids, window);
  const body = {
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    now: window.now.toISOString(),
    stepMs: window.stepMs,
    items: jobs.map((job) => laneView(job, lanes.get(job.id)!, window)),
    nextCursor: next,
  };
  return { status: 200, body };
}
