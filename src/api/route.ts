// A route is one object: what it takes, what it asks of the caller, what it answers and the function that does it. The
// server and the OpenAPI document are both made from these objects, so that nothing is served that is not described.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { PunctualEvent } from "../contract/events.ts";
import type { Store } from "../store/port.ts";
import type { Noted } from "./audit-note.ts";
import type { KeyedRequest } from "./idempotency.ts";
import type { Principal } from "./principal.ts";
import { type Permission, ruleOf } from "./rules.ts";

export { PREFIX } from "./rules.ts";

/** A request as its handler sees it: parsed, allowed, and with the store that its effect belongs into. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  principal: Principal;
  /** Inside the transaction of the idempotency key, if the request has one. */
  store: Store;
  /** The idempotency key, where the handler sees to it itself. */
  keyed: KeyedRequest | null;
  /** For what is not atomic as a whole: what is done within is one with what was noted of it. */
  atomically<T>(work: (store: Store) => Promise<T>): Promise<T>;
  headers: FastifyRequest["headers"];
  method: string;
  /** Of the client, as far as the proxies in front are to be believed. */
  address: string;
  requestId: string;
  /** Aborted when the client went away. */
  signal: AbortSignal;
  /** For what takes long: throws when the caller would not be let in any more. */
  stillAllowed(): Promise<void>;
  /** For the audit: what was changed. It is written with the change, under the route's action; without a note nothing is. */
  note(noted: Noted): void;
  /** For the audit, at once and whatever becomes of the request. */
  tell(action: string, noted: Noted): Promise<void>;
  /** Waited for when the effect is durable, before the answer. */
  beforeAnswer(work: () => Promise<void>): void;
  /** Told to the world once the effect is durable. */
  publish(...events: Omit<PunctualEvent, "timestamp">[]): void;
  /** Something may be due, or a claim was taken away: the dispatchers are woken once the effect is durable. */
  wake(): void;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string | string[]>;
}

/** For answers that go on: the handler takes the connection over. */
export interface Takeover {
  takeOver(reply: FastifyReply): void;
}

export interface Response {
  description: string;
  schema?: z.ZodType;
  /** JSON unless said otherwise. */
  contentType?: string;
}

type Idempotency = "inside" | "outside" | "own" | "none";

export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** From the table in rules.ts. */
  permission: Permission;
  /** As what it stands in the audit; null: not at all. */
  audit: string | null;
  /** The heading it stands under in the documentation. */
  group: string;
  summary: string;
  /** Not in the documentation: another entry speaks for it. */
  hidden?: boolean;
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** How the body is described, where the schema that reads it is looser. */
  bodyShown?: z.ZodType;
  /** It holds a secret: what is wrong with it is told without the values seen. */
  bodyIsSecret?: true;
  bodyLimit?: number;
  responses: Record<number, Response>;
  /**
   * `outside`: the effect is not in the store, and may take longer than a transaction may stay open; a key then only
   * makes sure that the answer stays the same. `own`: the handler sees to it, unless a line in the audit is to be one with the effect. `none`:
   * keys mean nothing here.
   */
  idempotency?: Idempotency | ((body: Body) => Idempotency);
  /** It goes on, and its project may be named by `?project=`: a browser's stream can send no header. */
  streams?: boolean;
  /** False for what takes long, or tells of it by itself: its line in the audit is then written after the effect, not with it. */
  atomic?: boolean;
  handler(call: Call<Params, Query, Body>): Promise<Answer | Takeover> | Answer | Takeover;
}

/**
 * Lets the compiler find the types of params, query and body, and forgets them again. What it asks of its caller stands in
 * the table of rules; a route that is not there is an error of the program.
 */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  definition: Omit<Route<Params, Query, Body>, "permission" | "audit">,
): Route {
  const { needs: permission, audit } = ruleOf(definition.method, definition.path);
  return { ...definition, permission, audit } as unknown as Route;
}

export const BODY_LIMIT = 256 * 1024;
/** For those who are not known yet. */
export const SMALL_BODY_LIMIT = 8 * 1024;
export const BULK_BODY_LIMIT = 8 * 1024 * 1024;
