import { refusalBody } from "./refusal-body.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { keepCall } from "./verified-calls.ts";
import { Verifier, type VerifyOptions } from "./verify-webhook.ts";

interface FastifyRequestLike {
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

interface FastifyReplyLike {
  code(status: number): unknown;
  send(body: unknown): unknown;
}

/** Loose, because Fastify's own types of these are overloads that no plain function type fits. */
interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser: unknown;
  addHook: unknown;
}

interface Scope extends FastifyLike {
  addContentTypeParser(
    contentType: "*",
    options: { parseAs: "buffer" },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): void;
  addHook(
    name: "preValidation",
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): void;
}

/**
 * A plugin: every route of the scope it is registered in answers verified calls only. Handlers find the payload in
 * `request.body` and the rest with `webhookOf(request)`.
 *
 *     app.register(async (hooks) => {
 *       hooks.register(fastifyWebhooks, { keys: process.env.WEBHOOK_SECRET });
 *       hooks.post("/reports", async (request) => { const { payload, attempt } = webhookOf(request); … });
 *     });
 */
export async function fastifyWebhooks(app: FastifyLike, options: VerifyOptions): Promise<void> {
  const verifier = new Verifier(options);
  const scope = app as Scope;
  // The signature is over the bytes as they came, so nothing may parse them first.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  scope.addHook("preValidation", async (request, reply) => {
    try {
      const call = await verifier.verify(request.headers, (request.body as Uint8Array | undefined) ?? "");
      keepCall(request, call);
      request.body = call.payload;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      reply.code(error.status);
      return reply.send(refusalBody(error));
    }
  });
}

// How Fastify knows that a plugin is for the scope it is registered in and not for one of its own.
Object.assign(fastifyWebhooks, { [Symbol.for("skip-override")]: true });
