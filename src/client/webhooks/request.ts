import { keepCall } from "./verified-calls.ts";
import { type VerifyOptions, verifyWebhook } from "./verify-webhook.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** For whatever has the Fetch API's Request. Its body is read; the answer has it. */
export async function verifyRequest<Payload = unknown>(
  request: Request,
  keys: VerifyOptions["keys"],
  options: Omit<VerifyOptions, "keys"> = {},
): Promise<WebhookCall<Payload>> {
  const body = await request.arrayBuffer();
  const call = await verifyWebhook<Payload>({ ...options, keys, headers: request.headers, body });
  keepCall(request, call);
  return call;
}
