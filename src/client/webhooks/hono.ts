import { BODY_BYTES_MAX, type BodyLimit, readBody } from "./body-limit.ts";
import { refusalBody } from "./refusal-body.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { keepCall } from "./verified-calls.ts";
import { Verifier, type VerifyOptions } from "./verify-webhook.ts";

interface HonoContextLike {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
}

/**
 * Middleware that lets verified calls pass only. Handlers find the call with `webhookOf(c.req.raw)`.
 *
 *     app.post("/reports", honoWebhooks({ keys }), (c) => { const { payload } = webhookOf(c.req.raw); … });
 */
export function honoWebhooks({ bodyBytesMax = BODY_BYTES_MAX, ...options }: VerifyOptions & BodyLimit) {
  const verifier = new Verifier(options);
  return async (context: HonoContextLike, next: () => Promise<void>): Promise<Response | undefined> => {
    try {
      const body = await rawBody(context.req, bodyBytesMax);
      keepCall(context.req.raw, await verifier.verify(context.req.raw.headers, body));
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return Response.json(refusalBody(error), { status: error.status });
    }
    await next();
    return undefined;
  };
}

async function rawBody(request: HonoContextLike["req"], bytesMax: number): Promise<ArrayBuffer | Uint8Array> {
  // Hono remembers what a middleware before this one has read.
  if (request.raw.bodyUsed) return await request.arrayBuffer();
  const body = await readBody(request.raw, bytesMax);
  // So that the handler may read the body again.
  if (request.raw.body !== null) request.raw = new Request(request.raw, { body });
  return body;
}
