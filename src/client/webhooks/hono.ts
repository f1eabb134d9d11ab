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
export function honoWebhooks(options: VerifyOptions) {
  const verifier = new Verifier(options);
  return async (context: HonoContextLike, next: () => Promise<void>): Promise<Response | undefined> => {
    try {
      // Hono remembers it, so that the handler may read the body again.
      const body = await context.req.arrayBuffer();
      keepCall(context.req.raw, await verifier.verify(context.req.raw.headers, body));
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return Response.json(refusalBody(error), { status: error.status });
    }
    await next();
    return undefined;
  };
}
