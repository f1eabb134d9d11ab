import cors from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const TAKEN = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "last-event-id",
  "punctual-project",
  "x-request-id",
];
const SHOWN = [
  "etag",
  "idempotent-replayed",
  "location",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
  "x-request-id",
];
const PREFLIGHT_KEPT_S = 600;

/**
 * Lets pages of the given origins call the API with a key in a header. Never with cookies: a session is good for the
 * dashboard's own pages only. A preflight is answered here, before any key is asked for and without any route.
 */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    delegator: async (request: FastifyRequest) => ({
      origin: origins.includes(request.headers.origin ?? "") ? [...origins] : false,
      methods: METHODS,
      allowedHeaders: TAKEN,
      exposedHeaders: SHOWN,
      maxAge: PREFLIGHT_KEPT_S,
      // Whatever else is asked with OPTIONS is refused like any method that a path does not take.
      preflight: request.headers["access-control-request-method"] !== undefined,
    }),
  });
}
