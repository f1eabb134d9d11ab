// How many requests a caller may make in a minute. Whoever has a valid key, token or session is counted by it, everybody else by their address.
// An address that sent too many wrong keys is told so for every further one; those who share it and have a valid key are not shut
// out by that, unless it is a flood, which is refused before any key is looked at. Not counted: health, which is how one finds out, and what workers ask, which is as much as there is to do.
//
// Each node counts for itself: behind a balancer a caller gets the limit of every node it is led to. What is promised is
// that one caller cannot keep a node from serving the others, not an exact number over all nodes.

import rateLimit, { type FastifyRateLimitStore } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PunctualError } from "../contract/errors.ts";
import type { ApiDeps, ApiOptions } from "./deps.ts";
import { addressOf, networkOf } from "./network.ts";
import { PREFIX, type Route } from "./route.ts";
import { type Counted, Windows } from "./windows.ts";

const WINDOW_MS = 60_000;
/** Of each kind. Whoever has more addresses than this is not kept out by counting them. */
const COUNTED_MAX = 10_000;
/** So many times as many wrong keys as may be sent are nobody's slip any more. */
const FLOOD = 10;
/** Late callbacks count too, because they cannot be told from guesses; there may be many after an outage. */
const WRONG_CALLBACKS_MAX = 1_000;

const CALLBACKS = `${PREFIX}/callbacks/:token`;
const OF_SETTING = "a minute (PUNCTUAL_RATE_LIMIT)";

type Limiter = ReturnType<FastifyInstance["createRateLimit"]>;

interface Limit {
  limiter: Limiter;
  /** What a caller is told who is over it. */
  told(request: FastifyRequest, max: number): string;
}

export class RateLimits {
  readonly #requests: { byKey: Limit; byAddress: Limit } | null;
  readonly #wrongKeys: Limit | null;
  readonly #flood: Limit | null;
  readonly #wrongCallbacks: Limit;

  /** On an app that `limitRates` has prepared. */
  constructor(app: FastifyInstance, { rateLimit: max, wrongKeysMax }: ApiOptions) {
    const limit = (most: number, keyGenerator: (request: FastifyRequest) => string, told: Limit["told"]): Limit => ({
      limiter: app.createRateLimit({ max: most, timeWindow: WINDOW_MS, keyGenerator }),
      told,
    });
    this.#requests = max === null ? null : { byKey: limit(max, keyOf, keyTold), byAddress: limit(max, from, openTold) };
    this.#wrongKeys = wrongKeysMax === null ? null : limit(wrongKeysMax, from, wrongKeysTold);
    this.#flood = wrongKeysMax === null ? null : limit(wrongKeysMax * FLOOD, from, wrongKeysTold);
    this.#wrongCallbacks = limit(WRONG_CALLBACKS_MAX, from, wrongCallbacksTold);
  }

  /** Lets a request in as `identify` does, if neither its key nor its address had too many. No route: an unknown path. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    { route, identify }: { route: Route | null; identify: () => Promise<unknown> },
  ): Promise<void> {
    if (route?.permission === "open") {
      await this.#admitOpen(request, reply, route);
      return void (await identify());
    }
    await look(this.#flood, request, reply);
    try {
      await identify();
    } catch (error) {
      await this.#count(request, reply, { route, error });
      throw error;
    }
    await this.#count(request, reply, { route, error: null });
  }

  /** For what is no route of ours, such as the pages of the documentation. */
  async countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await count(this.#requests?.byAddress, request, reply);
  }

  async countCallback(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<void> {
    const wrong = error instanceof PunctualError && error.status < 500;
    if (wrong && request.routeOptions.config.route?.path === CALLBACKS)
      await this.#wrongCallbacks.limiter(request).then((counted) => tell(reply, counted));
  }

  async #admitOpen(request: FastifyRequest, reply: FastifyReply, route: Route): Promise<void> {
    if (route.group === "Health") return;
    if (route.path === CALLBACKS) await look(this.#wrongCallbacks, request, reply);
    else await this.countAddress(request, reply);
  }

  async #count(
    request: FastifyRequest,
    reply: FastifyReply,
    { route, error }: { route: Route | null; error: unknown },
  ): Promise<void> {
    if (request.identity !== null) {
      if (route?.permission !== "work") await count(this.#requests?.byKey, request, reply);
    } else if (isWrongKey(request, error)) {
      await this.#flood?.limiter(request);
      await count(this.#wrongKeys, request, reply);
    } else {
      await this.countAddress(request, reply);
    }
  }
}

/** Counting begins with the server, and ends with it. */
export async function limitRates(
  app: FastifyInstance,
  { monotonic }: ApiDeps,
  options: ApiOptions,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false, store: storeWith(monotonic) });
  const limits = new RateLimits(app, options);
  app.addHook("onRequest", async (request, reply) => {
    const isRoute = request.is404 || request.routeOptions.config.route !== undefined;
    if (!isRoute) await limits.countAddress(request, reply);
  });
  app.addHook("onError", async (request, reply, error) => await limits.countCallback(request, reply, error));
  return limits;
}

/** Our own store, because the library's reads the clock on the wall, which may be set back. */
function storeWith(monotonic: () => number) {
  return class WindowStore implements FastifyRateLimitStore {
    readonly #windows = new Windows({ windowMs: WINDOW_MS, keysMax: COUNTED_MAX, monotonic });

    incr(key: string, done: (error: null, found: { current: number; ttl: number }) => void): void {
      done(null, found(this.#windows.add(key)));
    }

    read(key: string, done: (error: null, found: { current: number; ttl: number }) => void): void {
      done(null, found(this.#windows.look(key)));
    }

    child(): WindowStore {
      return new WindowStore();
    }
  };
}

function found({ count, msLeft }: Counted): { current: number; ttl: number } {
  return { current: count, ttl: msLeft };
}

/** Counts the request, and refuses it if that is one too many. */
async function count(limit: Limit | null | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (limit == null) return;
  const counted = await limit.limiter(request);
  tell(reply, counted);
  if (!counted.isAllowed && counted.isExceeded) throw tooMany(limit.told(request, counted.max), counted.ttl);
}

/** Refuses the request if one more would be too many; it does not count by itself. */
async function look(limit: Limit | null, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (limit === null) return;
  const counted = await limit.limiter(request, { increment: false });
  if (counted.isAllowed || counted.remaining > 0) return;
  tell(reply, counted);
  throw tooMany(limit.told(request, counted.max), counted.ttl);
}

function tell(reply: FastifyReply, counted: Awaited<ReturnType<Limiter>>): void {
  if (counted.isAllowed) return;
  reply.headers({
    "ratelimit-limit": String(counted.max),
    "ratelimit-remaining": String(counted.remaining),
    "ratelimit-reset": String(counted.ttlInSeconds),
  });
}

function tooMany(what: string, msLeft: number): PunctualError {
  const message = `${what}; come again in ${Math.ceil(msLeft / 1_000)} s`;
  return new PunctualError("rate_limited", message, { retryAfterMs: msLeft });
}

/** Who sent none made no guess: a browser asking for its icon must not shut its whole office out. */
function isWrongKey(request: FastifyRequest, error: unknown): boolean {
  const refused = error instanceof PunctualError && error.code === "unauthenticated";
  return refused && (request.headers.authorization ?? request.headers.cookie) !== undefined;
}

function from(request: FastifyRequest): string {
  return networkOf(addressOf(request));
}

/** By id, because a key may be given any name. */
function keyOf({ identity }: FastifyRequest): string {
  return `${identity!.kind} ${identity!.id}`;
}

function keyTold({ identity }: FastifyRequest, max: number): string {
  return `"${identity!.name}" made more than ${max} requests ${OF_SETTING}`;
}

function openTold(request: FastifyRequest, max: number): string {
  return `${from(request)} made more than ${max} requests without a key ${OF_SETTING}`;
}

function wrongKeysTold(request: FastifyRequest, max: number): string {
  return `${from(request)} sent more than ${max} keys within a minute that are not valid`;
}

function wrongCallbacksTold(request: FastifyRequest, max: number): string {
  return `${from(request)} sent ${max} callbacks within a minute that are over or never were`;
}
