// From how a handler ended to what the server is told.

import { formatDuration } from "../../contract/duration.ts";
import type { Ended, HandedOut, HandlerError } from "../../contract/worker.ts";
import { RESULT_BYTES_MAX } from "../../contract/worker-rules.ts";
import type { SettlementInput } from "../workers.ts";
import type { RunAborted } from "./abort-reason.ts";
import { describeFailure } from "./failure.ts";
import type { DeclaredHandler } from "./handler.ts";
import { NoRetry, RetryAfter } from "./retry.ts";
import { conform, DoesNotFit, type Schema } from "./schema.ts";
import { asResult } from "./storable.ts";

export type Ending =
  | { kind: "returned"; value: unknown }
  | { kind: "threw"; error: unknown }
  /** Was told to end and did not, or was not begun. */
  | { kind: "given_up" };

/** Of what was begun, or is not to begin any more. */
type EndedInput = SettlementInput & { outcome: Ended["outcome"] };
type Said = Omit<EndedInput, "id" | "token">;

interface Circumstances {
  /** Why the run is over whatever its handler did. */
  aborted: RunAborted | null;
  /** What its handler was told: the same, or that the run may be lost. */
  told: RunAborted | null;
  handler: DeclaredHandler;
}

/**
 * Null: nothing is to be said, for the execution belongs to somebody else by now, or the handler stopped because it may.
 * A promise only if a schema has to look at the result.
 */
export function settlementOf(
  { id, token }: Pick<HandedOut, "id" | "token">,
  ending: Ending,
  { aborted, told, handler }: Circumstances,
): EndedInput | null | Promise<EndedInput> {
  if (aborted?.code === "lost") return null;
  // Half done and left: that is what the server calls lost, and it knows what the job wants done then.
  if (aborted === null && told !== null && ending.kind === "threw" && isMereAbort(ending.error, told)) return null;
  if (ending.kind !== "returned") return { id, token, ...failed(ending, aborted) };
  // Work that was done is done, even if it was told to end in the last moment.
  if (handler.result === undefined) return { id, token, ...returned(ending.value) };
  return conforming(ending.value, handler.result).then((said) => ({ id, token, ...said }));
}

function failed(ending: Exclude<Ending, { kind: "returned" }>, aborted: RunAborted | null): Said {
  const thrown = ending.kind === "threw" ? ending.error : aborted;
  if (thrown instanceof DoesNotFit) return final("invalid_payload", thrown.message);
  if (thrown instanceof NoRetry) return { outcome: "failed", error: describeFailure(thrown), retryable: false };
  if (thrown instanceof RetryAfter)
    return { outcome: "failed", error: describeFailure(thrown), retryAfter: formatDuration(thrown.afterMs) };
  if (aborted === null) return { outcome: "failed", error: describeFailure(thrown) };
  return interrupted(aborted, thrown);
}

function returned(value: unknown): Said {
  try {
    const result = asResult(value, RESULT_BYTES_MAX);
    if ("problem" in result) return final("invalid_result", result.problem);
    return { outcome: "succeeded", result: result.json };
  } catch (error) {
    return unusable(error);
  }
}

async function conforming(value: unknown, schema: Schema): Promise<Said> {
  try {
    return returned(await conform(schema, value, "result"));
  } catch (error) {
    return unusable(error);
  }
}

function unusable(error: unknown): Said {
  if (error instanceof DoesNotFit) return final("invalid_result", error.message);
  return { outcome: "failed", error: { ...describeFailure(error), code: "invalid_result" }, retryable: false };
}

function interrupted(aborted: RunAborted, thrown: unknown): Said {
  const error: HandlerError = { code: aborted.code, message: aborted.message };
  if (!isMereAbort(thrown, aborted)) error.cause = describeFailure(thrown).message;
  if (aborted.code === "cancelled") return { outcome: "cancelled", error };
  // Another worker can take it at once: nothing is wrong with the work itself.
  if (aborted.code === "shutdown") return { outcome: "failed", error, retryAfter: "0s" };
  return { outcome: "failed", error };
}

/** What signals make functions throw says nothing that the reason does not. */
function isMereAbort(thrown: unknown, aborted: RunAborted): boolean {
  return thrown === aborted || (thrown instanceof Error && (thrown.name === "AbortError" || thrown.cause === aborted));
}

/** No other attempt would end differently. */
function final(code: string, message: string): Said {
  return { outcome: "failed", error: { code, message: describeFailure(new Error(message)).message }, retryable: false };
}
