import { headerIn, type WrittenHeaders } from "./headers.ts";

/**
 * A call whose signature was found good. Signed are `id`, `timestamp` and the body; the rest comes from other headers and
 * is as trustworthy as the connection.
 */
export interface WebhookCall<Payload = unknown> {
  /** The execution's id; the same for all its attempts. */
  id: string;
  /** When the attempt was sent. */
  timestamp: Date;
  /** The body's JSON; its text if it is none; null if it is empty. */
  payload: Payload;
  body: Uint8Array;
  /** The job's name. */
  job: string | null;
  /** 1 for the first. */
  attempt: number | null;
  /** The instant of the schedule that the call stands for. */
  scheduledAt: Date | null;
  /** The same for all attempts of an execution and for its retries: what was done under it need not be done again. */
  idempotencyKey: string | null;
  /** Where to report the result, if the job waits for a callback. */
  callbackUrl: string | null;
  traceparent: string | null;
}

export function readCall<Payload>(
  headers: WrittenHeaders,
  { id, timestamp, body }: Pick<WebhookCall, "id" | "timestamp" | "body">,
): WebhookCall<Payload> {
  const attempt = headerIn(headers, "punctual-attempt");
  const scheduledAt = new Date(headerIn(headers, "punctual-scheduled-at") ?? Number.NaN);
  return {
    id,
    timestamp,
    payload: readPayload(body) as Payload,
    body,
    job: headerIn(headers, "punctual-job"),
    attempt: attempt !== null && /^\d{1,9}$/.test(attempt) ? Number(attempt) : null,
    scheduledAt: Number.isNaN(scheduledAt.getTime()) ? null : scheduledAt,
    idempotencyKey: headerIn(headers, "idempotency-key"),
    callbackUrl: headerIn(headers, "punctual-callback-url"),
    traceparent: headerIn(headers, "traceparent"),
  };
}

function readPayload(body: Uint8Array): unknown {
  if (body.length === 0) return null;
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
