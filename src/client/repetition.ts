// Which calls may be made twice, and when that may help.

import { PunctualApiError, PunctualConnectionError } from "./errors.ts";
import { randomUuid } from "./random-uuid.ts";
import type { ApiCall } from "./transport.ts";

/** What may pass by itself. */
const PASSING = [429, 502, 503, 504];

/** A POST becomes repeatable by a key: the server gives its first answer again. None is spent on one that is not repeated. */
export function withIdempotencyKey(call: ApiCall, retries: number): ApiCall {
  const given = call.options?.idempotencyKey;
  if (call.method !== "POST" || (given === undefined && (call.repeatable || retries === 0))) return call;
  return { ...call, headers: { ...call.headers, "idempotency-key": given ?? randomUuid() } };
}

/** A PATCH that names the version it changes is refused the second time if the first came through. */
export function isRepeatable({ method, headers, repeatable }: ApiCall): boolean {
  if (repeatable !== undefined) return repeatable;
  if (method === "POST") return headers?.["idempotency-key"] !== undefined;
  return method !== "PATCH" || headers?.["if-match"] !== undefined;
}

export function mayPass(error: unknown): boolean {
  if (error instanceof PunctualConnectionError) return true;
  if (!(error instanceof PunctualApiError)) return false;
  // The first try of the same key is still being worked on: its answer is what is wanted.
  return PASSING.includes(error.status) || error.code === "request_in_progress";
}

/** Refused before anything of it was looked at: it may be made again, whatever it is. */
export function wasNotLookedAt(error: unknown): boolean {
  return error instanceof PunctualApiError && error.code === "rate_limited";
}

/** Whether the server may have done it although this came of it. */
export function hidesAnswer(error: unknown): boolean {
  return !(error instanceof PunctualApiError) || error.status === 502 || error.status === 504;
}

/** What was to be deleted is not there after a try whose answer was lost: that try did it. */
export function isGone({ method }: ApiCall, error: unknown): boolean {
  return method === "DELETE" && error instanceof PunctualApiError && error.status === 404;
}
