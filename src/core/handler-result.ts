import { parseDuration } from "../contract/duration.ts";
import type { AttemptError } from "../contract/execution.ts";
import { findUnstorable } from "../contract/storable.ts";
import type { Ended, Settlement } from "../contract/worker.ts";
import { RESULT_BYTES_MAX } from "../contract/worker-rules.ts";
import type { AttemptResult } from "./attempt.ts";

/** The code by which a worker says that it ended the handler because its time was over. */
const TIMEOUT = "timeout";

const NO_CALL = { doubtful: false, retryAfterMs: null, request: null, response: null, timings: null, result: null };

/** How an attempt ended, from what its worker says of it. `overdue`: its time is over, by the database's clock. */
export function handlerResult(said: Omit<Ended, "id" | "token">, overdue: boolean): AttemptResult {
  switch (said.outcome) {
    case "succeeded":
      return succeeded(said);
    case "cancelled":
      return { ...NO_CALL, outcome: "cancelled", error: said.error, cause: null };
    case "failed":
      return failed(said, overdue);
  }
}

/** Trying again would give the same result, so that one which cannot be kept is the end of the matter. */
function succeeded({ result }: Pick<Settlement, "result">): AttemptResult {
  const bytes = Buffer.byteLength(JSON.stringify(result) ?? "null");
  if (bytes > RESULT_BYTES_MAX)
    return refused("result_too_large", `the result has ${bytes} bytes as JSON; at most ${RESULT_BYTES_MAX} are kept`);
  const problem = findUnstorable(result);
  if (problem !== null)
    return refused("result_not_storable", `the result${problem.path && ` at ${problem.path}`} ${problem.message}`);
  return { ...NO_CALL, outcome: "succeeded", error: null, cause: null, result };
}

function refused(code: string, message: string): AttemptResult {
  return { ...NO_CALL, outcome: "failed", error: { code, message }, cause: null };
}

function failed(said: Omit<Settlement, "id" | "token">, overdue: boolean): AttemptResult {
  const error: AttemptError = said.error ?? { code: "handler", message: "the handler failed and did not say why" };
  // A handler may call anything a timeout; that this was the attempt's own is known here.
  if (error.code === TIMEOUT && overdue) return { ...timedOut(), error };
  return {
    ...NO_CALL,
    outcome: "failed",
    error,
    cause: said.retryable ? { kind: "handler" } : null,
    retryAfterMs: said.retryAfter === null ? null : toMs(said.retryAfter),
  };
}

/** What the handler did until then, and whether it has ended, nobody knows. */
export function timedOut(): AttemptResult {
  const error = { code: TIMEOUT, message: "the handler did not end within the job's timeout" };
  return { ...NO_CALL, outcome: "timed_out", error, cause: { kind: "timeout" }, doubtful: true };
}

/** Whoever held it is gone, or does not know of it: that says nothing about what was done until then. */
export function lost(message: string): AttemptResult {
  return { ...NO_CALL, outcome: "lost", error: { code: "lost", message }, cause: { kind: "lost" }, doubtful: true };
}

function toMs(after: string | number): number {
  return typeof after === "number" ? Math.round(after * 1_000) : parseDuration(after);
}
