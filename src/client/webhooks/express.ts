import { refusalBody } from "./refusal-body.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { keepCall } from "./verified-calls.ts";
import { Verifier, type VerifyOptions } from "./verify-webhook.ts";

/** Larger than any call that Punctual makes. */
const BODY_BYTES_MAX = 1024 * 1024;

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

export interface ExpressWebhookOptions extends VerifyOptions {
  /** How many bytes a body may have that is read here. Default: 1 MiB. */
  bodyBytesMax?: number | undefined;
}

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
  return joined(await chunksOf(request, bytesMax));
}

/** Not by iterating: leaving such a loop early ends the connection, and with it the answer that says why. */
function chunksOf(request: ExpressRequestLike, bytesMax: number): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else reject(new WebhookVerificationError("body_too_large", `the body has more than ${bytesMax} bytes`));
    });
    request.on("end", () => resolve(chunks));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the caller went away before its body was read")));
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
