import type { PunctualError } from "../contract/errors.ts";
import type { Execution } from "../contract/execution.ts";
import type { TriggerRequest } from "../store/port/jobs.ts";
import { type KeyedRequest, toAnswer } from "./idempotency.ts";
import type { Answer, Call } from "./route.ts";

interface Triggered {
  executionId: string;
  jobId: string;
  deduplicated: boolean;
}

type Caller = Pick<Call, "principal" | "store" | "publish" | "wake">;

/** One, with the execution as it is. */
export async function runTrigger(
  call: Caller,
  request: TriggerRequest,
  unknownJob: () => PunctualError,
): Promise<{ execution: Execution; deduplicated: boolean }> {
  const { principal, store, wake } = call;
  const result = await store.triggers.triggerOne(principal.projectId, request, { actor: principal.name });
  if (result.kind === "not_found") throw unknownJob();
  const { execution, deduplicated } = result;
  if (!deduplicated) tell(call, execution.id, execution.jobId);
  wake();
  return { execution, deduplicated };
}

/** One of a request that takes effect once. */
export async function runTriggerOnce(
  call: Caller,
  request: TriggerRequest,
  keyed: KeyedRequest,
  unknownJob: () => PunctualError,
): Promise<Answer> {
  const { principal, store, wake } = call;
  const result = await store.triggers.triggerOnce(principal.projectId, request, {
    actor: principal.name,
    once: { ...keyed, answer: (execution) => ({ status: 201, body: execution }) },
  });
  if (result.kind === "not_found") throw unknownJob();
  if (result.kind === "fresh") {
    tell(call, result.execution.id, result.execution.jobId);
    wake();
  }
  return toAnswer(keyed, result);
}

/** All or none. What was triggered is told to the world; what the key had triggered before was told then. */
export async function runTriggers(
  call: Caller,
  requests: TriggerRequest[],
  unknownJob: (job: string, index: number) => PunctualError,
): Promise<Triggered[]> {
  const { principal, store, wake } = call;
  const results = await store.triggers.trigger(principal.projectId, requests, { actor: principal.name });
  const triggered = results.map((result) => {
    if (result.kind === "triggered") return result;
    throw unknownJob(
      result.job,
      requests.findIndex((request) => request.job === result.job),
    );
  });
  for (const { executionId, jobId, deduplicated } of triggered) if (!deduplicated) tell(call, executionId, jobId);
  wake();
  return triggered;
}

function tell({ principal: { projectId }, publish }: Caller, executionId: string, jobId: string): void {
  publish({ type: "execution.scheduled", projectId, data: { jobId, executionId, state: "scheduled" } });
}
