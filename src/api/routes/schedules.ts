import { z } from "zod";
import { jobNameSchema } from "../../contract/job.ts";
import { scheduleInput } from "../../contract/schedule.ts";
import { preview } from "../../core/schedule/preview.ts";
import { instant } from "../parameters.ts";
import { previewSchema } from "../preview-view.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { checkedSchedule } from "../written-schedule.ts";

const COUNT_MAX = 1_000;

const body = z.strictObject({
  schedule: scheduleInput,
  name: jobNameSchema.optional().describe("of the job, where the schedule depends on it"),
  from: instant.optional().describe("exclusive; default: now"),
  count: z.int().min(1).max(COUNT_MAX).default(10),
});

type Body = z.infer<typeof body>;

export function scheduleRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/schedules/preview`,
      permission: "read",
      group: "Schedules",
      summary: "The next instants of a schedule, and the schedule in words",
      body,
      idempotency: "none",
      responses: { 200: { description: "The instants.", schema: previewSchema } },
      handler: previewSchedule,
    }),
  ];
}

async function previewSchedule({ body, store }: Call<unknown, unknown, Body>): Promise<Answer> {
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
  return { status: 200, body: preview(schedule, options) };
}
