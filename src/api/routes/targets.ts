import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { type Attempt, attemptSchema } from "../../contract/execution.ts";
import { type JobSpec, jobInputSchema } from "../../contract/job.ts";
import { jsonValue } from "../../contract/json.ts";
import { type Target, targetSchema } from "../../contract/target.ts";
import type { ApiDeps } from "../deps.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { refuseEgress } from "../save-job.ts";

/** Trials at once on this node; each holds a connection and a caller. */
const TRIALS_MAX = 16;

const body = z.strictObject({ target: targetSchema, payload: jsonValue.default(null) });
type TrialCall = Call<unknown, unknown, z.infer<typeof body>>;

export function targetRoutes(deps: ApiDeps): Route[] {
  let trials = 0;
  const tryTarget = async (call: TrialCall): Promise<Answer> => {
    if (trials >= TRIALS_MAX)
      throw new PunctualError("unavailable", `${TRIALS_MAX} targets are being tried at the moment; try again`);
    await refuseEgress(deps, call.body.target);
    trials += 1;
    try {
      return { status: 200, body: await makeAttempt(deps, call) };
    } finally {
      trials -= 1;
    }
  };
  return [
    route({
      method: "POST",
      path: `${PREFIX}/targets/test`,
      permission: "write",
      group: "Targets",
      summary: "Call a target once, outside the ledger",
      body,
      idempotency: "outside",
      responses: { 200: { description: "How the call went.", schema: attemptSchema } },
      handler: tryTarget,
    }),
  ];
}

async function makeAttempt(deps: ApiDeps, { body, principal, signal }: TrialCall): Promise<Attempt> {
  const startedAt = deps.clock();
  const id = deps.ids.next(startedAt.getTime());
  const result = await deps.targets.attempt(
    {
      executionId: id,
      rootId: id,
      attempt: 1,
      scheduledAt: startedAt,
      projectId: principal.projectId,
      jobId: id,
      job: trialJob(body.target),
      payload: body.payload,
      callbackUrl: null,
      traceparent: `00-${id.replaceAll("-", "")}-${id.replaceAll("-", "").slice(16)}-00`,
    },
    signal,
  );
  return {
    number: 1,
    outcome: result.outcome === "accepted" ? "succeeded" : result.outcome,
    jobVersion: 0,
    startedAt: startedAt.toISOString(),
    finishedAt: deps.clock().toISOString(),
    error: result.outcome === "accepted" ? null : result.error,
    node: deps.node.name,
    worker: null,
    request: result.request,
    response: result.response,
    timings: result.timings,
  };
}

/** Nobody waits for the callback of a trial. */
function trialJob(target: Target): JobSpec {
  const defaults = jobInputSchema.parse({ name: "target-test", target: { ...target, completion: "response" } });
  return { ...defaults, name: "target-test", schedule: null };
}
