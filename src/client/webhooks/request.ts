import { BODY_BYTES_MAX, type BodyLimit, readBody } from "./body-limit.ts";
import { keepCall } from "./verified-calls.ts";
import { type VerifyOptions, verifyWebhook } from "./verify-webhook.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** For whatever has the Fetch API's Request. Its body is read; the answer has it. */
export async function verifyRequest<Payload = unknown>(
  request: Request,
  keys: VerifyOptions["keys"],
  { bodyBytesMax = BODY_BYTES_MAX, ...options }: Omit<VerifyOptions, "keys"> & BodyLimit = {},
): Promise<WebhookCall<Payload>> {
  const body = await readBody(request, bodyBytesMax);
  const call = await verifyWebhook<Payload>({ ...options, keys, headers: request.headers, body });
  keepCall(request, call);
  return call;
}
