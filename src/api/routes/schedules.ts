import type { z } from "zod";
import { previewInput, schedulePreviewSchema } from "../../contract/schedule-preview.ts";
import { preview } from "../../core/schedule/preview.ts";
import { checkedSchedule } from "../../core/schedule/stored-schedule.ts";
import { withCrowdNote } from "../crowd-notes.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";

export function scheduleRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/schedules/preview`,
      group: "Schedules",
      summary: "The next instants of a schedule, and the schedule in words",
      body: previewInput,
      idempotency: "none",
      responses: { 200: { description: "The instants.", schema: schedulePreviewSchema } },
      handler: previewSchedule,
    }),
  ];
}

async function previewSchedule({
  body,
  principal: { projectId },
  store,
}: Call<unknown, unknown, z.infer<typeof previewInput>>): Promise<Answer> {
  const now = await store.now();
  const from = body.from ?? now;
  // A preview of the past may name times that were ahead then.
  const seenFrom = new Date(Math.min(from.getTime(), now.getTime()));
  const schedule = checkedSchedule(body.schedule, { now: seenFrom, anchor: from, graceMs: Number.POSITIVE_INFINITY });
  const options = {
    anchor: from.getTime(),
    after: from.getTime(),
    count: body.count,
    maxRuns: schedule?.maxRuns ?? null,
  };
  const job = body.name ?? null;
  return { status: 200, body: await withCrowdNote(preview(schedule, options), { store, projectId, schedule, job }) };
}
