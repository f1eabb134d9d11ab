// How a route object is served. Denied by default: before anything of a request is read, the key is looked at, and a path
// that is no route is refused to strangers like one that is.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PunctualError } from "../contract/errors.ts";
import type { EventType } from "../contract/events.ts";
import { parseOrThrow, parseSecretOrThrow } from "../contract/validate.ts";
import type { Store } from "../store/port.ts";
import { actingIn } from "./acting-project.ts";
import type { ApiDeps } from "./deps.ts";
import { answerOnce, answerOutside, keyedRequest } from "./idempotency.ts";
import { demand, type Principal } from "./principal.ts";
import { readQuery } from "./request-query.ts";
import { type Answer, BODY_LIMIT, type Call, type Route, type Takeover } from "./route.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

const STREAM_LOOK_MS = 2_000;

const NOBODY: Principal = { name: "anonymous", projectId: "", projectName: "", scopes: [], instanceAdmin: false };

export function registerRoute(app: FastifyInstance, deps: ApiDeps, route: Route): void {
  app.route({
    method: route.method,
    url: route.path,
    config: { route },
    bodyLimit: route.bodyLimit ?? BODY_LIMIT,
    onRequest: async (request) => await admit(deps, route, request),
    handler: async (request, reply) => await serve(deps, route, request, reply),
  });
}

async function admit(deps: ApiDeps, route: Route, request: FastifyRequest): Promise<void> {
  if (route.permission === "open") return;
  request.principal = await identify(deps, request);
  demand(request.principal, route.permission);
}

/** Who it is, in the project they name, or `unauthenticated`. */
export async function identify(deps: ApiDeps, request: FastifyRequest): Promise<Principal> {
  const header = request.headers.authorization;
  if (header === undefined)
    throw new PunctualError("unauthenticated", "no key was sent; add the header authorization: Bearer <key>");
  const token = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
  const principal = token === undefined ? null : await deps.authenticate(token);
  if (principal === null)
    throw new PunctualError("unauthenticated", "the key in the header authorization is not valid");
  return await actingIn(deps.store, principal, request.headers["punctual-project"]);
}

async function serve(deps: ApiDeps, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const input = readInput(route, request);
  const principal = request.principal ?? NOBODY;
  let effects = new Effects(deps, principal.name);
  const work = async (store: Store): Promise<Answer | Takeover> => {
    // Anew each time: a transaction that is tried again has had no effect before.
    effects = new Effects(deps, principal.name);
    const { headers, method } = request;
    let signal: AbortSignal | null = null;
    return await route.handler({
      ...input,
      principal,
      headers,
      method,
      // Made for the few who ask for it.
      get signal() {
        signal ??= gone(reply);
        return signal;
      },
      stillAllowed: () => admit(deps, route, request),
      store,
      ...effects.collectors(),
    });
  };
  const idempotency =
    typeof route.idempotency === "function" ? route.idempotency(input.body) : (route.idempotency ?? "inside");
  const keyed = route.method === "POST" && idempotency !== "none" && route.permission !== "open";
  const key = keyed ? keyedRequest(principal.projectId, request.headers["idempotency-key"], request) : null;
  const once = idempotency === "outside" ? answerOutside : answerOnce;
  const answer =
    key === null ? await work(deps.store) : await once(deps.store, key, work as (store: Store) => Promise<Answer>);
  effects.release();
  if ("takeOver" in answer) cutOffWhenRefused(deps, route, request, reply);
  return send(reply, answer);
}

/**
 * A stream goes on long after its key was looked at. It is looked at again now and then, and whoever would not be let in
 * any more is cut off; a database that cannot be asked cuts nobody off.
 */
function cutOffWhenRefused(deps: ApiDeps, route: Route, request: FastifyRequest, reply: FastifyReply): void {
  const look = () =>
    admit(deps, route, request).catch((error) => {
      if (error instanceof PunctualError) reply.raw.destroy();
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

/** The log tells who did it, and by whom a run was asked for; those of the schedule are told by the planner. */
const LOGGED_AS: Partial<Record<EventType, string>> = { "execution.scheduled": "execution.triggered" };

/** Of more than this one request's runs are logged as one line with their number; the ledger has each, and by whom. */
const RUNS_LOGGED_MAX = 20;

/** What is to be told once the effect of a request is durable, and not before. */
class Effects {
  readonly #deps: ApiDeps;
  readonly #by: string;
  readonly #events: Parameters<Call["publish"]> = [];
  #wakes = false;

  constructor(deps: ApiDeps, by: string) {
    this.#deps = deps;
    this.#by = by;
  }

  collectors(): Pick<Call, "publish" | "wake"> {
    return {
      publish: (...events) => {
        this.#events.push(...events);
      },
      wake: () => {
        this.#wakes = true;
      },
    };
  }

  release(): void {
    const { events } = this.#deps.store;
    this.#log();
    const timestamp = this.#deps.clock().toISOString();
    if (this.#events.length > 0)
      events.publish(() => this.#events.map(({ type, projectId, data }) => ({ type, timestamp, projectId, data })));
    if (this.#wakes) events.wake();
  }

  #log(): void {
    const { log } = this.#deps;
    const runs = this.#events.filter(({ type }) => type === "execution.scheduled");
    const counted = runs.length > RUNS_LOGGED_MAX;
    if (counted)
      log.info(LOGGED_AS["execution.scheduled"]!, { projectId: runs[0]!.projectId, count: runs.length, by: this.#by });
    for (const { type, projectId, data } of this.#events)
      if (!counted || type !== "execution.scheduled")
        log.info(LOGGED_AS[type] ?? type, { projectId, ...data, by: this.#by });
  }
}
