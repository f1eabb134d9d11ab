import type { KeyObject } from "node:crypto";
import { isoOf } from "../../core/iso-time.ts";
import { sign } from "../../core/webhook-signature.ts";
import type { Call } from "../port.ts";
import { headerLine } from "./request-template.ts";

/** The headers that Punctual sets itself, those that belong to this one call. */
export function callHeaders(call: Call, options: { ownIdempotencyKey: boolean }): string {
  const key = options.ownIdempotencyKey ? `idempotency-key: ${call.rootId}\r\n` : "";
  const callback = call.callbackUrl === null ? "" : headerLine("punctual-callback-url", call.callbackUrl);
  return (
    `${key}punctual-execution-id: ${call.executionId}\r\npunctual-job: ${call.job.name}\r\n` +
    `punctual-attempt: ${call.attempt}\r\npunctual-scheduled-at: ${isoOf(call.scheduledAt.getTime())}\r\n` +
    `traceparent: ${call.traceparent}\r\n${callback}`
  );
}

/**
 * What lets the target tell that the call is ours. The id stays the same over all attempts, the timestamp is that of the
 * attempt: a receiver refuses old ones, so that a recorded call cannot be played back later.
 */
export function signatureHeaders(call: Call, keys: readonly KeyObject[], nowMs: number, body: Buffer): string {
  const timestampSeconds = Math.floor(nowMs / 1000);
  const marks = `webhook-id: ${call.executionId}\r\nwebhook-timestamp: ${timestampSeconds}\r\n`;
  if (keys.length === 0) return marks;
  return `${marks}webhook-signature: ${sign(keys, call.executionId, timestampSeconds, body)}\r\n`;
}
