import type { PunctualError } from "../contract/errors.ts";
import type { TriggerRequest } from "../store/port/jobs.ts";
import type { Call } from "./route.ts";

interface Triggered {
  executionId: string;
  jobId: string;
  deduplicated: boolean;
}

/** All or none. What was triggered is told to the world; what the key had triggered before was told then. */
export async function runTriggers(
  { principal, store, publish, wake }: Pick<Call, "principal" | "store" | "publish" | "wake">,
  requests: TriggerRequest[],
  unknownJob: (job: string, index: number) => PunctualError,
): Promise<Triggered[]> {
  const results = await store.triggers.trigger(principal.projectId, requests, { actor: principal.name });
  const triggered = results.map((result) => {
    if (result.kind === "triggered") return result;
    throw unknownJob(
      result.job,
      requests.findIndex((request) => request.job === result.job),
    );
  });
  for (const { executionId, jobId, deduplicated } of triggered)
    if (!deduplicated)
      publish({
        type: "execution.scheduled",
        projectId: principal.projectId,
        data: { jobId, executionId, state: "scheduled" },
      });
  wake();
  return triggered;
}
