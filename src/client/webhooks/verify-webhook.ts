// Whether a request is a call that Punctual made just now: HMAC-SHA256 over `id.timestamp.body`, as Standard Webhooks
// describes it. A call may carry several signatures and a receiver may have several keys, so that keys can be replaced
// without an interruption; one pair that fits will do. Recorded calls cannot be played back later than the tolerance.

import { fromBase64 } from "./base64.ts";
import { headerIn, type WrittenHeaders } from "./headers.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { VerificationKeys, type WrittenKeys } from "./verification-keys.ts";
import { readCall, type WebhookCall } from "./webhook-call.ts";

const TOLERANCE_MS = 5 * 60_000;
/** More signatures than anybody has keys are not looked at: each costs work. */
const SIGNATURES_MAX = 32;

export interface VerifyOptions {
  /** The secrets of the signing keys, `whsec_…`: one, or several while one is being replaced. Missing ones throw. */
  keys: WrittenKeys;
  /** How far the call's time may be from now. Default: five minutes. */
  toleranceMs?: number | undefined;
  now?: (() => Date) | undefined;
}

export interface ReceivedWebhook extends VerifyOptions {
  headers: WrittenHeaders;
  /** The bytes as they came: JSON that was parsed and written again is another text. */
  body: string | Uint8Array | ArrayBuffer;
}

/** The call, or a WebhookVerificationError that says why it is none. */
export async function verifyWebhook<Payload = unknown>(received: ReceivedWebhook): Promise<WebhookCall<Payload>> {
  return await new Verifier(received).verify<Payload>(received.headers, received.body);
}

/** Verifies many calls with the same keys. Throws at once if there is something wrong with those. */
export class Verifier {
  readonly #keys: VerificationKeys;
  readonly #toleranceMs: number;
  readonly #now: () => Date;

  constructor({ keys, toleranceMs = TOLERANCE_MS, now = () => new Date() }: VerifyOptions) {
    this.#keys = new VerificationKeys(keys);
    this.#toleranceMs = toleranceMs;
    this.#now = now;
  }

  async verify<Payload>(headers: WrittenHeaders, received: ReceivedWebhook["body"]): Promise<WebhookCall<Payload>> {
    const id = required(headers, "webhook-id");
    const timestamp = required(headers, "webhook-timestamp");
    const signatures = required(headers, "webhook-signature");
    const sentAt = this.#checkedTime(timestamp);
    const body = bytesOf(received);
    if (!(await this.#isSigned(signatures, joined(`${id}.${timestamp}.`, body))))
      throw new WebhookVerificationError(
        "no_matching_signature",
        "no signature of the call fits: it was signed with another key, or changed on its way",
      );
    return readCall<Payload>(headers, { id, timestamp: sentAt, body });
  }

  #checkedTime(text: string): Date {
    if (!/^\d{1,12}$/.test(text))
      throw new WebhookVerificationError("invalid_timestamp", "the header webhook-timestamp is not in seconds");
    const sentAt = new Date(Number(text) * 1_000);
    const ageMs = this.#now().getTime() - sentAt.getTime();
    // Written so that what is not a number is refused.
    if (!(ageMs <= this.#toleranceMs))
      throw new WebhookVerificationError(
        "timestamp_too_old",
        `the call was sent ${inSeconds(ageMs)} ago; is it a replay?`,
      );
    if (!(-ageMs <= this.#toleranceMs))
      throw new WebhookVerificationError(
        "timestamp_too_new",
        `the call will be sent in ${inSeconds(-ageMs)}; is this machine's clock right?`,
      );
    return sentAt;
  }

  /** The platform's own comparison, whose time says nothing about how much of a guess was right. */
  async #isSigned(header: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const keys = await this.#keys.imported();
    for (const signature of signaturesIn(header))
      for (const key of keys) if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
    return false;
  }
}

function required(headers: WrittenHeaders, name: string): string {
  const value = headerIn(headers, name);
  if (value === null || value === "")
    throw new WebhookVerificationError("missing_header", `the header ${name} is missing`);
  return value;
}

/** `v1,<base64>`, separated by spaces. Those of other versions are passed over. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(" ", SIGNATURES_MAX)
    .flatMap((part) => (part.startsWith("v1,") ? (fromBase64(part.slice("v1,".length)) ?? []) : []));
}

function bytesOf(body: ReceivedWebhook["body"]): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError("the body must be the bytes or the text as they came, not what was parsed from them");
}

function joined(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(head);
  const whole = new Uint8Array(start.length + body.length);
  whole.set(start);
  whole.set(body, start.length);
  return whole;
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} seconds`;
}
