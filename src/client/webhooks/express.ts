import { BODY_BYTES_MAX, BodyChunks, type BodyLimit } from "./body-limit.ts";
import { refusalBody } from "./refusal-body.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { keepCall } from "./verified-calls.ts";
import { Verifier, type VerifyOptions } from "./verify-webhook.ts";

interface ExpressRequestLike {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
  readableEnded?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what is told depends on the event
  on(event: "data" | "end" | "error" | "close", listener: (told?: any) => void): unknown;
}

interface ExpressResponseLike {
  status(code: number): { json(body: unknown): unknown };
}

export type ExpressWebhookOptions = VerifyOptions & BodyLimit;

/**
 * Middleware that lets verified calls pass only. It reads the body itself, or takes that of `express.raw()`; put it before
 * `express.json()`. Handlers find the payload in `req.body` and the rest with `webhookOf(req)`.
 *
 *     app.post("/reports", expressWebhooks({ keys }), (req, res) => { const { payload } = webhookOf(req); … });
 */
export function expressWebhooks({ bodyBytesMax = BODY_BYTES_MAX, ...options }: ExpressWebhookOptions) {
  const verifier = new Verifier(options);
  return async (
    request: ExpressRequestLike,
    response: ExpressResponseLike,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const call = await verifier.verify(request.headers, await rawBody(request, bodyBytesMax));
      keepCall(request, call);
      request.body = call.payload;
    } catch (error) {
      if (error instanceof WebhookVerificationError) response.status(error.status).json(refusalBody(error));
      else next(error);
      return;
    }
    next();
  };
}

async function rawBody(request: ExpressRequestLike, bytesMax: number): Promise<Uint8Array> {
  if (request.body instanceof Uint8Array) return request.body;
  if (request.readableEnded)
    throw new Error("the body was read before it could be verified: put expressWebhooks before express.json()");
  return await readStream(request, bytesMax);
}

/** Not by iterating: leaving such a loop early ends the connection, and with it the answer that says why. */
function readStream(request: ExpressRequestLike, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks = new BodyChunks(bytesMax);
    request.on("data", (chunk: Uint8Array) => {
      try {
        chunks.add(chunk);
      } catch (error) {
        reject(error);
      }
    });
    request.on("end", () => resolve(chunks.joined()));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the caller went away before its body was read")));
  });
}
