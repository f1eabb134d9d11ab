import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

const POLICY = { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] };

/** Of answers that are made before there is a request, and so before any hook. */
export const BARE_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** On every answer, errors too: nothing is kept, guessed at, framed, or told to others. Pages loosen the policy for themselves. */
export async function sendSecurityHeaders(app: FastifyInstance, { https }: { https: boolean }): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    crossOriginEmbedderPolicy: true,
    // Over plain HTTP browsers ignore it; on a machine that also serves something else by name it would do harm.
    strictTransportSecurity: https ? { maxAge: 365 * 86_400, includeSubDomains: false } : false,
    xFrameOptions: { action: "deny" },
  });
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });
}
