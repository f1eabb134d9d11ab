// What is written of a finished attempt: the end of its execution, or another attempt.

import type { Attempt, AttemptError } from "../contract/execution.ts";
import type { AttemptResult, Verdict } from "../core/attempt.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
import { errorFingerprint } from "../core/fingerprint.ts";
import type { Claimed, FinalSettlement, RetrySettlement } from "../store/port/queue.ts";

export interface Finished {
  claimed: Claimed;
  job: CompiledJob;
  result: AttemptResult;
  /** The attempt as it will stand in the ledger. */
  attempt: Attempt & { callback?: boolean };
}

/** What became of a result: `written`, now or before; not, because its claim is lost; or not, because it cannot be stored. */
export type Fate = "written" | "claim_lost" | "not_storable";
export type Tell = (fate: Fate) => void;

export type Settlement =
  | { kind: "final"; finished: Finished; item: FinalSettlement; tell: Tell }
  | { kind: "retry"; finished: Finished; item: RetrySettlement; tell: Tell };

/** Of later attempts no start is kept but their own. */
function startedLate({ attempt, startedLateMs }: Claimed): number | undefined {
  return attempt === 1 ? startedLateMs : undefined;
}

export function settlement(finished: Finished, verdict: Verdict, tell: Tell): Settlement {
  const { claimed, attempt, result } = finished;
  const { id, claim, jobId } = claimed;
  const startedLateMs = startedLate(claimed);
  if (verdict.kind === "retry") {
    const item = { id, claim, jobId, delayMs: verdict.delayMs, attempt, startedLateMs };
    return { kind: "retry", finished, tell, item };
  }
  const item = { id, claim, jobId, attempt, startedLateMs, ...ending(jobId, result, verdict) };
  return { kind: "final", finished, tell, item };
}

function ending(
  jobId: string,
  result: AttemptResult,
  verdict: Exclude<Verdict, { kind: "retry" }>,
): Omit<FinalSettlement, "id" | "claim" | "jobId" | "attempt" | "startedLateMs"> {
  const said = { result: result.result, error: result.error };
  switch (verdict.kind) {
    case "succeed":
      return { ...said, state: "succeeded", reason: null, error: null, fingerprint: null };
    case "fail":
      return {
        ...said,
        state: "failed",
        reason: { code: verdict.code, message: verdict.message },
        fingerprint: errorFingerprint(jobId, result.error),
      };
    case "unknown":
      return {
        ...said,
        state: "unknown",
        reason: { code: "doubtful", message: verdict.message },
        fingerprint: errorFingerprint(jobId, result.error),
      };
    case "cancel":
      return {
        ...said,
        state: "cancelled",
        reason: { code: "cancelled", message: "cancelled while it ran" },
        fingerprint: null,
      };
  }
}

/** Its job was deleted while it ran: there will be no further attempt. */
export function cancelledByDelete(finished: Finished): Settlement {
  const { claimed, attempt, result } = finished;
  const reason = { code: "job_deleted", message: "its job was deleted while it ran" };
  const item = {
    id: claimed.id,
    claim: claimed.claim,
    jobId: claimed.jobId,
    attempt,
    startedLateMs: startedLate(claimed),
    result: result.result,
    error: result.error,
    state: "cancelled" as const,
    reason,
    fingerprint: null,
  };
  return { kind: "final", finished, item, tell: () => {} };
}

/** What is left when the database refuses the content of a result: that it ended, and how. */
export function withoutContent(settlement: Settlement): Settlement {
  const error: AttemptError | null = settlement.finished.result.error && {
    code: settlement.finished.result.error.code,
    message: "the details could not be stored",
  };
  const attempt: Attempt = { ...settlement.item.attempt, response: null, request: null, error };
  if (settlement.kind === "retry") return { ...settlement, item: { ...settlement.item, attempt } };
  const reason = settlement.item.reason && { ...settlement.item.reason, message: "the details could not be stored" };
  return { ...settlement, item: { ...settlement.item, attempt, result: null, error, reason } };
}
