// How a route object is served. Denied by default: before anything of a request is read, the key is looked at, and a path
// that is no route is refused to strangers like one that is.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PunctualError } from "../contract/errors.ts";
import { parseOrThrow, parseSecretOrThrow } from "../contract/validate.ts";
import type { Store } from "../store/port.ts";
import { actingIn } from "./acting-project.ts";
import { refuseCrossSite } from "./cross-site.ts";
import type { ApiDeps } from "./deps.ts";
import { Effects } from "./effects.ts";
import { answerOnce, answerOutside, keyedRequest } from "./idempotency.ts";
import { addressOf } from "./network.ts";
import { demand, type Identity, NOBODY, type Principal } from "./principal.ts";
import type { RateLimits } from "./rate-limits.ts";
import { readQuery } from "./request-query.ts";
import { type Answer, BODY_LIMIT, PREFIX, type Route, type Takeover } from "./route.ts";
import { isAudited, ruleOf } from "./rules.ts";
import { readSessionCookie } from "./session-cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who it is, before a project is named. */
    identity: Identity | null;
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

const STREAM_LOOK_MS = 2_000;

export function registerRoute(app: FastifyInstance, deps: ApiDeps, route: Route, limits: RateLimits): void {
  // Made by hand, past route(), it would be served with whatever it says of itself.
  const { needs, audit } = ruleOf(route.method, route.path);
  if (route.permission !== needs || route.audit !== audit)
    throw new Error(
      `${route.method} ${route.path} asks for "${route.permission}" and is audited as ${route.audit}; by the rules it is "${needs}" and ${audit}`,
    );
  app.route({
    method: route.method,
    url: route.path,
    config: { route },
    bodyLimit: route.bodyLimit ?? BODY_LIMIT,
    onRequest: async (request, reply) => {
      await limits.admit(request, reply, { route, identify: () => admit(deps, route, request) });
      if (request.identity?.session) deps.sessions.noteUse(request.identity.session.id);
    },
    handler: async (request, reply) => await serve(deps, route, request, reply),
  });
}

async function admit(deps: ApiDeps, route: Route, request: FastifyRequest): Promise<void> {
  if (route.permission === "open") {
    // Signing somebody in or out is as good as acting for them.
    if (route.path.startsWith(`${PREFIX}/auth/`)) refuseForeignPage(deps, request);
    return;
  }
  request.identity = await identify(deps, request);
  request.principal = await actingIn(request.identity, namedProject(route, request), route.permission);
  demand(request.principal, route.permission);
}

/** A browser's stream can send no header. */
function namedProject(route: Route, request: FastifyRequest): unknown {
  const header = request.headers["punctual-project"];
  if (!route.streams) return header;
  return new URLSearchParams((request.query as { text: string }).text).get("project") ?? header;
}

/** Who it is, or `unauthenticated`. A key or token that is sent counts, whatever cookie comes along. */
export async function identify(deps: ApiDeps, request: FastifyRequest): Promise<Identity> {
  const header = request.headers.authorization;
  if (header === undefined) return await identifyBySession(deps, request);
  const token = /^Bearer +([\x21-\x7e]{1,8192})$/i.exec(header)?.[1];
  const identity = token === undefined ? null : await deps.authenticate(token);
  if (identity === null) throw new PunctualError("unauthenticated", "the key in the header authorization is not valid");
  return identity;
}

async function identifyBySession(deps: ApiDeps, request: FastifyRequest): Promise<Identity> {
  const token = readSessionCookie(request.headers.cookie, deps.signIn);
  if (token === null)
    throw new PunctualError(
      "unauthenticated",
      "no key was sent and nobody is signed in; add the header authorization: Bearer <key>",
    );
  refuseForeignPage(deps, request);
  const identity = await deps.sessions.authenticate(token);
  if (identity === null) throw new PunctualError("unauthenticated", "the session is over; sign in again");
  return identity;
}

function refuseForeignPage(deps: ApiDeps, { method, headers }: FastifyRequest): void {
  const site = headers["sec-fetch-site"];
  const from = { method, site: site?.toString(), origin: headers.origin, host: headers.host };
  refuseCrossSite(from, deps.signIn.publicUrl);
}

async function serve(deps: ApiDeps, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const input = readInput(route, request);
  const principal = request.principal ?? NOBODY;
  const address = addressOf(request);
  const circumstances = { actor: principal, projectId: principal.projectId, address, requestId: request.id };
  let effects = new Effects(deps, circumstances);
  const audited = isAudited(route.audit, principal.kind) ? route.audit : null;
  const idempotency =
    typeof route.idempotency === "function" ? route.idempotency(input.body) : (route.idempotency ?? "inside");
  const keyed = route.method === "POST" && idempotency !== "none" && route.permission !== "open";
  // Who sees to the instance may name no project, and then remembers keys of their own.
  const owner = principal.projectId || principal.id;
  const key = keyed ? keyedRequest(owner, request.headers["idempotency-key"], request) : null;
  const isOwn = idempotency === "own" && audited === null;
  const work = async (store: Store): Promise<Answer | Takeover> => {
    // Anew each time: a transaction that is tried again has had no effect before.
    effects = new Effects(deps, circumstances);
    const { headers, method } = request;
    let signal: AbortSignal | null = null;
    const answer = await route.handler({
      ...input,
      principal,
      headers,
      method,
      address,
      requestId: request.id,
      // Made for the few who ask for it.
      get signal() {
        signal ??= gone(reply);
        return signal;
      },
      stillAllowed: () => admit(deps, route, request),
      store,
      keyed: isOwn ? key : null,
      atomically: (inner) => effects.atomically(store, audited, inner),
      ...effects.collectors(),
    });
    await effects.writeAudit(store, audited);
    return answer;
  };
  const once = idempotency === "outside" ? answerOutside : answerOnce;
  // The change and its line in the audit are one.
  const atomic = audited !== null && idempotency !== "outside" && route.atomic !== false;
  const unkeyed = () => (atomic ? deps.store.atomically(work) : work(deps.store));
  const answer =
    key === null || isOwn ? await unkeyed() : await once(deps.store, key, work as (store: Store) => Promise<Answer>);
  await effects.release();
  if ("takeOver" in answer) cutOffWhenRefused(deps, route, request, reply);
  return send(reply, answer);
}

/**
 * A stream goes on long after its key was looked at. It is looked at again now and then, and whoever would not be let in
 * any more is cut off; a database or identity provider that cannot be asked cuts nobody off.
 */
function cutOffWhenRefused(deps: ApiDeps, route: Route, request: FastifyRequest, reply: FastifyReply): void {
  const look = () =>
    admit(deps, route, request).catch((error) => {
      if (error instanceof PunctualError && error.status < 500) reply.raw.destroy();
    });
  const timer = setInterval(look, STREAM_LOOK_MS).unref();
  reply.raw.once("close", () => clearInterval(timer));
}

function readInput(route: Route, request: FastifyRequest): { params: unknown; query: unknown; body: unknown } {
  const params = route.params?.safeParse(request.params);
  // What cannot be an id or a name is not the id or name of anything.
  if (params && !params.success)
    throw new PunctualError("not_found", `there is no ${request.url.split("?")[0]!.slice(0, 200)}`);
  return {
    params: params?.data,
    query: route.query && parseOrThrow(route.query, readQuery((request.query as { text: string }).text)),
    body: route.body && (route.bodyIsSecret ? parseSecretOrThrow : parseOrThrow)(route.body, request.body ?? {}),
  };
}

function send(reply: FastifyReply, answer: Answer | Takeover): FastifyReply {
  if ("takeOver" in answer) {
    answer.takeOver(reply);
    return reply;
  }
  reply.status(answer.status).headers(answer.headers ?? {});
  return answer.body === undefined ? reply.send() : reply.send(answer.body);
}

function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (reply.raw.destroyed && !reply.raw.writableFinished) controller.abort("cancelled");
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort("cancelled");
  });
  return controller.signal;
}
