import type { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { triggeredSchema, triggersInput } from "../../contract/trigger.ts";
import { checkTriggers, triggerRequest } from "../../core/written-trigger.ts";
import { type Answer, BULK_BODY_LIMIT, type Call, PREFIX, type Route, route } from "../route.ts";
import { runTriggers } from "../run-triggers.ts";

export function triggerRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/triggers`,
      group: "Jobs",
      summary: "Run many jobs; all are triggered or none",
      body: triggersInput,
      bodyLimit: BULK_BODY_LIMIT,
      responses: { 201: { description: "The executions, in the order asked for.", schema: triggeredSchema } },
      handler: triggerMany,
    }),
  ];
}

async function triggerMany(call: Call<unknown, unknown, z.infer<typeof triggersInput>>): Promise<Answer> {
  const { items } = call.body;
  await checkTriggers(call.store, items, (index) => `items.${index}.`);
  const requests = items.map(({ job, ...trigger }) => triggerRequest(job, trigger));
  const triggered = await runTriggers(call, requests, (job, index) =>
    PunctualError.validation([
      { path: `items.${index}.job`, code: "not_found", message: `there is no job "${job}"`, value: job },
    ]),
  );
  const fresh = triggered.filter(({ deduplicated }) => !deduplicated);
  if (fresh.length > 0)
    call.note({ kind: "jobs", id: "", after: { executionIds: fresh.map((one) => one.executionId) } });
  return {
    status: 201,
    body: { items: triggered.map(({ executionId, deduplicated }) => ({ executionId, deduplicated })) },
  };
}
