import type { WebhookCall } from "./webhook-call.ts";

// Beside the request and not in it: frameworks have types for what their requests carry, and this needs none of them.
const verified = new WeakMap<object, WebhookCall>();

export function keepCall(request: object, call: WebhookCall): void {
  verified.set(request, call);
}

/** The verified call behind a framework's request. Throws if nothing verified it: then it must not be believed. */
export function webhookOf<Payload = unknown>(request: object): WebhookCall<Payload> {
  const call = verified.get(request);
  if (call === undefined)
    throw new Error(
      "this request was not verified; is fastifyWebhooks, expressWebhooks or honoWebhooks in front of it?",
    );
  return call as WebhookCall<Payload>;
}
