import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import underPressure from "@fastify/under-pressure";
import Fastify, { type FastifyInstance } from "fastify";
import { z } from "zod";
import { PunctualError } from "../contract/errors.ts";
import { Connections } from "./connections.ts";
import { allowOrigins } from "./cross-origin.ts";
import type { ApiDeps, ApiOptions } from "./deps.ts";
import { refuseBrokenRequest, sendFailure } from "./failure.ts";
import { takeJsonOnly } from "./json-only.ts";
import { LogFollowers } from "./log-followers.ts";
import { LoginLimits } from "./login-limits.ts";
import { openApiDocument } from "./openapi.ts";
import { limitRates } from "./rate-limits.ts";
import { registerRoute } from "./registration.ts";
import { BODY_LIMIT, type Route, route } from "./route.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { callbackRoutes } from "./routes/callbacks.ts";
import { dashboardRoutes } from "./routes/dashboard.ts";
import { deadLetterRoutes } from "./routes/dead-letters.ts";
import { devEchoRoutes } from "./routes/dev-echo.ts";
import { EventRoutes } from "./routes/events.ts";
import { executionLogRoutes } from "./routes/execution-logs.ts";
import { executionRoutes } from "./routes/executions.ts";
import { healthRoutes } from "./routes/health.ts";
import { instanceRoutes, metricsRoute } from "./routes/instance.ts";
import { jobActionRoutes } from "./routes/job-actions.ts";
import { jobStatsRoutes } from "./routes/job-stats.ts";
import { jobVersionRoutes } from "./routes/job-versions.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { memberRoutes } from "./routes/members.ts";
import { oidcRoutes } from "./routes/oidc.ts";
import { projectRoutes } from "./routes/projects.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { signingKeyRoutes } from "./routes/signing-keys.ts";
import { statsRoutes } from "./routes/stats.ts";
import { targetRoutes } from "./routes/targets.ts";
import { timelineRoutes } from "./routes/timeline.ts";
import { triggerRoutes } from "./routes/triggers.ts";
import { workerRoutes } from "./routes/workers.ts";
import { BARE_HEADERS, sendSecurityHeaders } from "./security-headers.ts";
import { refuseUnknownPath } from "./unknown-path.ts";
import { cutOffUnread } from "./unread-answers.ts";

export async function buildApi(deps: ApiDeps, options: ApiOptions): Promise<FastifyInstance> {
  const app = createServer(deps, options);
  await sendSecurityHeaders(app, options);
  await allowOrigins(app, options.corsOrigins);
  await shedLoad(app, options);
  const limits = await limitRates(app, deps, options);
  const events = new EventRoutes(deps, options);
  const followers = new LogFollowers(deps.store, options);
  const connections = new Connections(app.server);
  cutOffUnread(app.server, options.timeouts);
  app.addHook("preClose", async () => {
    events.endAll();
    followers.endAll();
    deps.workers.closePolls();
    connections.close();
  });
  const routes = options.api
    ? [...apiRoutes(deps, options, followers), ...events.routes()]
    : [...healthRoutes(deps, options), metricsRoute(deps)];
  const document = openApiDocument(routes, deps.version);
  const documented = [...routes, documentRoute(document)];
  for (const each of documented) registerRoute(app, deps, each, limits);
  app.setNotFoundHandler(refuseUnknownPath(deps, documented, limits));
  await serveDocs(app, document);
  await app.ready();
  return app;
}

/** Every route but the document itself, for whoever wants to walk them. */
export function apiRoutes(
  deps: ApiDeps,
  options: ApiOptions,
  followers = new LogFollowers(deps.store, options),
): Route[] {
  const logins = new LoginLimits(deps);
  return [
    ...jobRoutes(deps),
    ...jobActionRoutes(),
    ...jobStatsRoutes(),
    ...jobVersionRoutes(deps),
    ...triggerRoutes(),
    ...bulkRoutes(),
    ...scheduleRoutes(),
    ...targetRoutes(deps),
    ...executionRoutes(deps),
    ...executionLogRoutes(followers),
    ...workerRoutes(deps),
    ...deadLetterRoutes(),
    ...callbackRoutes(deps),
    ...secretRoutes(),
    ...apiKeyRoutes(deps),
    ...authRoutes(deps, logins),
    ...oidcRoutes(deps),
    ...sessionRoutes(deps, logins),
    ...memberRoutes(deps),
    ...auditRoutes(options),
    ...projectRoutes(deps),
    ...signingKeyRoutes(deps),
    ...statsRoutes(),
    ...timelineRoutes(),
    ...instanceRoutes(deps),
    ...healthRoutes(deps, options),
    ...dashboardRoutes(),
    ...(options.dev ? devEchoRoutes() : []),
  ];
}

function createServer(deps: ApiDeps, options: ApiOptions): FastifyInstance {
  const { store, log } = deps;
  const { timeouts } = options;
  const app = Fastify({
    logger: false,
    trustProxy: trusted(options.trustProxy),
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: "idle",
    // What is still asked while closing is answered; its connection ends with it.
    return503OnClosing: false,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.checkMs },
    clientErrorHandler: refuseBrokenRequest,
    routerOptions: { querystringParser: (text) => ({ text }), maxParamLength: 256 },
    genReqId: (request) => requestId(request.headers["x-request-id"]) ?? deps.ids.next(deps.clock().getTime()),
    frameworkErrors: (error, request, reply) =>
      void sendFailure(store, log, error, request, reply.headers({ ...BARE_HEADERS, "x-request-id": request.id })),
  });
  app.decorateRequest("identity", null);
  app.decorateRequest("principal", null);
  takeJsonOnly(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, id } = request;
    const path = request.url.split("?")[0];
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    log.debug("request.answered", {
      requestId: id,
      method,
      path,
      status: reply.statusCode,
      ms,
      by: request.identity?.name,
    });
  });
  app.setErrorHandler((error, request, reply) => sendFailure(store, log, error, request, reply));
  return app;
}

/** A number is how many proxies stand in front. */
function trusted(who: ApiOptions["trustProxy"]): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (typeof who === "number") return (_address, hop) => hop < who;
  return typeof who === "boolean" ? who : [...who];
}

function requestId(header: string | string[] | undefined): string | null {
  return typeof header === "string" && /^[A-Za-z0-9._:-]{1,64}$/.test(header) ? header : null;
}

/** Better a clear refusal than a queue that grows. Health and metrics are always answered: they are how one finds out. */
async function shedLoad(app: FastifyInstance, { eventLoopDelayMsMax }: ApiOptions): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: eventLoopDelayMsMax,
    pressureHandler: (request, _reply, _type, value) => {
      // Before its first measurement the delay is said to be infinite, which it is not.
      if (value === undefined || !Number.isFinite(value)) return;
      const route = request.routeOptions.config.route;
      if (route?.group === "Health" || route?.path === "/metrics") return;
      throw new PunctualError("unavailable", "the node is overloaded; try again");
    },
  });
}

function documentRoute(document: unknown): Route {
  return route({
    method: "GET",
    path: "/openapi.json",
    group: "Instance",
    summary: "This API as an OpenAPI document",
    responses: { 200: { description: "The document.", schema: z.record(z.string(), z.unknown()) } },
    handler: () => ({ status: 200, body: document }),
  });
}

/** The page brings all it needs along; nothing is asked of anybody else. */
const DOCS_POLICY = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "font-src", "connect-src"].map(
    (kind) => `${kind} 'self'${kind === "img-src" ? " data:" : ""}`,
  ),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

async function serveDocs(app: FastifyInstance, document: unknown): Promise<void> {
  await app.register(swagger, { mode: "static", specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    transformStaticCSP: () => DOCS_POLICY,
    uiConfig: { validatorUrl: null, docExpansion: "list", tryItOutEnabled: false, layout: "BaseLayout" },
    theme: { title: "Punctual API" },
  });
}
