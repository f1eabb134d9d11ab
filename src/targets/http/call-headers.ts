import { sign } from "../../core/webhook-signature.ts";
import type { Call } from "../port.ts";

/** Adds the headers that Punctual sets itself, those that belong to this one call. */
export function addCallHeaders(headers: string[], call: Call, options: { ownIdempotencyKey: boolean }): void {
  if (options.ownIdempotencyKey) headers.push("idempotency-key", call.rootId);
  headers.push(
    "punctual-execution-id",
    call.executionId,
    "punctual-job",
    call.job.name,
    "punctual-attempt",
    String(call.attempt),
    "punctual-scheduled-at",
    call.scheduledAt.toISOString(),
    "traceparent",
    call.traceparent,
  );
  if (call.callbackUrl !== null) headers.push("punctual-callback-url", call.callbackUrl);
}

/**
 * Adds what lets the target tell that the call is ours. The id stays the same over all attempts, the timestamp is
 * that of the attempt: a receiver refuses old ones, so that a recorded call cannot be played back later.
 */
export function addSignature(
  headers: string[],
  call: Call,
  keys: readonly Buffer[],
  nowMs: number,
  body: Buffer,
): void {
  const timestampSeconds = Math.floor(nowMs / 1000);
  headers.push("webhook-id", call.executionId, "webhook-timestamp", String(timestampSeconds));
  if (keys.length > 0) headers.push("webhook-signature", sign(keys, call.executionId, timestampSeconds, body));
}
