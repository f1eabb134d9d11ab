import type { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { type Attempt, attemptSchema } from "../../contract/execution.ts";
import { type JobSpec, jobInputSchema } from "../../contract/job.ts";
import type { HttpTarget, Target } from "../../contract/target.ts";
import { targetTestInput } from "../../contract/target-test.ts";
import { SILENT } from "../../targets/port.ts";
import type { ApiDeps } from "../deps.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { refuseTarget } from "../save-job.ts";

/** Trials at once on this node; each holds a connection and a caller. */
const TRIALS_MAX = 16;

type TrialCall = Call<unknown, unknown, z.infer<typeof targetTestInput>>;

export function targetRoutes(deps: ApiDeps): Route[] {
  let trials = 0;
  const tryTarget = async (call: TrialCall): Promise<Answer> => {
    if (trials >= TRIALS_MAX)
      throw new PunctualError("unavailable", `${TRIALS_MAX} targets are being tried at the moment; try again`);
    await refuseTarget(deps, call, call.body.target);
    trials += 1;
    try {
      const attempt = await makeAttempt(deps, call);
      call.note({ kind: "target", id: attempt.request?.url ?? "", after: { outcome: attempt.outcome } });
      return { status: 200, body: attempt };
    } finally {
      trials -= 1;
    }
  };
  return [
    route({
      method: "POST",
      path: `${PREFIX}/targets/test`,
      group: "Targets",
      summary: "Call a target once, outside the ledger",
      body: targetTestInput,
      idempotency: "outside",
      responses: { 200: { description: "How the call went.", schema: attemptSchema } },
      handler: tryTarget,
    }),
  ];
}

async function makeAttempt(deps: ApiDeps, { body, principal, signal }: TrialCall): Promise<Attempt> {
  const target = httpOnly(body.target);
  const startedAt = deps.clock();
  const id = deps.ids.next(startedAt.getTime());
  const result = await deps.targets.attempt(
    {
      executionId: id,
      rootId: id,
      attempt: 1,
      trigger: "manual",
      scheduledAt: startedAt,
      startedAt,
      projectId: principal.projectId,
      jobId: id,
      jobVersion: 1,
      job: trialJob(target),
      payload: body.payload,
      callbackUrl: null,
      traceparent: `00-${id.replaceAll("-", "")}-${id.replaceAll("-", "").slice(16)}-00`,
      reporter: SILENT,
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
function trialJob(target: HttpTarget): JobSpec & { target: HttpTarget } {
  const defaults = jobInputSchema.parse({ name: "target-test", target: { ...target, completion: "response" } });
  return { ...defaults, name: "target-test", schedule: null, target: defaults.target as HttpTarget };
}

/** The others have no end that a caller could wait for: a worker takes its work when it likes. */
function httpOnly(target: Target): HttpTarget {
  if (target.type === "http") return target;
  const message = "cannot be tried outside the ledger; save the job and trigger it";
  throw PunctualError.validation([{ path: "target.type", code: "not_triable", message, value: target.type }]);
}
