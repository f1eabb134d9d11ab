// A result that a target reports after its 202. The token names execution and claim; the claim in the queue decides whether
// the report still counts. It may come before the 202 is recorded, on any node, and again.

import type { Json } from "../contract/json.ts";
import { wantsCallback } from "../contract/target.ts";
import type { AttemptResult } from "../core/attempt.ts";
import type { Store } from "../store/port.ts";
import type { TargetRunner } from "../targets/port.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";
import type { Settler } from "./settler.ts";

export interface CallbackReport {
  outcome: "succeeded" | "failed";
  result: Json;
  error: { code: string; message: string } | null;
  retry: boolean;
}

export async function completeCallback(
  deps: { store: Store; jobs: CompiledJobs; settler: Settler; targets: Pick<TargetRunner, "cleaned">; node: string },
  executionId: string,
  claim: string,
  report: CallbackReport,
): Promise<"accepted" | "repeated" | "stale"> {
  const { store, jobs, settler, targets, node } = deps;
  const found = await store.queue.findCallback(executionId, claim);
  if (found.kind !== "waiting") return found.kind === "done" ? "repeated" : "stale";
  const { claimed, attempt } = found;
  const job = (await jobs.load([claimed]))(claimed);
  // Only a target that was asked for a callback has a token that counts.
  if (job === undefined || !wantsCallback(job.spec.target)) return "stale";
  const { result: said, error } = report;
  const shown = await targets.cleaned?.(claimed.projectId, job.spec, { said, error });
  const result = resultOf({ ...report, ...(shown === undefined ? {} : cleanedReport(shown)) });
  settler.add({
    claimed,
    job,
    result,
    attempt: {
      number: claimed.attempt,
      outcome: result.outcome,
      jobVersion: claimed.version,
      startedAt: claimed.startedAt.toISOString(),
      finishedAt: (await store.now()).toISOString(),
      error: result.error,
      node: attempt?.node ?? node,
      worker: null,
      request: attempt?.request ?? null,
      response: attempt?.response ?? null,
      timings: attempt?.timings ?? null,
      callback: true,
    },
  });
  await settler.flushed();
  const after = await store.queue.findCallback(executionId, claim);
  return after.kind === "done" ? "accepted" : "stale";
}

function cleanedReport(shown: Json): Pick<CallbackReport, "result" | "error"> {
  const { said, error } = shown as { said: Json; error: CallbackReport["error"] };
  return { result: said, error };
}

function resultOf(report: CallbackReport): AttemptResult {
  const failed = report.outcome === "failed";
  return {
    outcome: report.outcome,
    error: failed ? (report.error ?? { code: "callback", message: "the target reported a failure" }) : null,
    // What the target says about retrying counts more than any list of codes.
    cause: failed && report.retry ? { kind: "lost" } : null,
    doubtful: false,
    retryAfterMs: null,
    request: null,
    response: null,
    timings: null,
    result: report.result,
  };
}
