import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { type Answer, BULK_BODY_LIMIT, type Call, PREFIX, type Route, route } from "../route.ts";
import { runTriggers } from "../run-triggers.ts";
import { checkTriggers, triggerOfJobSchema, triggerRequest } from "../written-trigger.ts";

const ITEMS_MAX = 1_000;

const body = z.strictObject({ items: z.array(triggerOfJobSchema).min(1).max(ITEMS_MAX) });
const answer = z.object({ items: z.array(z.object({ executionId: z.uuid(), deduplicated: z.boolean() })) });

export function triggerRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/triggers`,
      permission: "operate",
      group: "Jobs",
      summary: "Run many jobs; all are triggered or none",
      body,
      bodyLimit: BULK_BODY_LIMIT,
      responses: { 201: { description: "The executions, in the order asked for.", schema: answer } },
      handler: triggerMany,
    }),
  ];
}

async function triggerMany(call: Call<unknown, unknown, z.infer<typeof body>>): Promise<Answer> {
  const { items } = call.body;
  await checkTriggers(call.store, items, (index) => `items.${index}.`);
  const requests = items.map(({ job, ...trigger }) => triggerRequest(job, trigger));
  const triggered = await runTriggers(call, requests, (job, index) =>
    PunctualError.validation([
      { path: `items.${index}.job`, code: "not_found", message: `there is no job "${job}"`, value: job },
    ]),
  );
  return {
    status: 201,
    body: { items: triggered.map(({ executionId, deduplicated }) => ({ executionId, deduplicated })) },
  };
}
