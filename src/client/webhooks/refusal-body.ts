import type { WebhookVerificationError } from "./verification-error.ts";

/** What those are told whose call was not believed, in the form of Punctual's own errors. */
export function refusalBody({ code, message }: WebhookVerificationError) {
  return { error: { code, message } };
}
