import type { FastifyReply, FastifyRequest } from "fastify";
import { PunctualError } from "../contract/errors.ts";
import type { ApiDeps } from "./deps.ts";
import type { RateLimits } from "./rate-limits.ts";
import { identify } from "./registration.ts";
import type { Route } from "./route.ts";

/** For what no route took: the right path with another method, or no path at all. */
export function refuseUnknownPath(deps: ApiDeps, routes: readonly Route[], limits: RateLimits) {
  const patterns = routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(/:[^/]+/g, "[^/]+")}$`),
  }));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const path = request.url.split("?")[0]!;
    const matching = patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route);
    const isOpen = matching.some((route) => route.permission === "open");
    const asKnown = async () => {
      request.identity = await identify(deps, request);
    };
    if (isOpen) await limits.countAddress(request, reply);
    else await limits.admit(request, reply, { route: null, identify: asKnown });
    if (matching.length === 0)
      throw new PunctualError("not_found", `there is no ${path.slice(0, 200)}; /docs lists what there is`);
    const allowed = matching.flatMap((route) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method]));
    reply.header("allow", allowed.join(", "));
    throw new PunctualError(
      "method_not_allowed",
      `${path.slice(0, 200)} takes ${allowed.join(", ")}, not ${request.method}`,
    );
  };
}
