// A route is one object: what it takes, what it asks of the caller, what it answers and the function that does it. The
// server and the OpenAPI document are both made from these objects, so that nothing is served that is not described.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { PunctualEvent } from "../contract/events.ts";
import type { Store } from "../store/port.ts";
import type { Permission, Principal } from "./principal.ts";

export const PREFIX = "/api/v1";

/** A request as its handler sees it: parsed, allowed, and with the store that its effect belongs into. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  principal: Principal;
  /** Inside the transaction of the idempotency key, if the request has one. */
  store: Store;
  headers: FastifyRequest["headers"];
  method: string;
  /** Aborted when the client went away. */
  signal: AbortSignal;
  /** For what takes long: throws when the caller would not be let in any more. */
  stillAllowed(): Promise<void>;
  /** Told to the world once the effect is durable. */
  publish(...events: Omit<PunctualEvent, "timestamp">[]): void;
  /** Something may be due, or a claim was taken away: the dispatchers are woken once the effect is durable. */
  wake(): void;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
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

type Idempotency = "inside" | "outside" | "none";

export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  permission: Permission;
  /** The heading it stands under in the documentation. */
  group: string;
  summary: string;
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
   * makes sure that the answer stays the same. `none`: keys mean nothing here.
   */
  idempotency?: Idempotency | ((body: Body) => Idempotency);
  handler(call: Call<Params, Query, Body>): Promise<Answer | Takeover> | Answer | Takeover;
}

/** Lets the compiler find the types of params, query and body, and forgets them again. */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  definition: Route<Params, Query, Body>,
): Route {
  return definition as unknown as Route;
}

export const BODY_LIMIT = 256 * 1024;
export const BULK_BODY_LIMIT = 8 * 1024 * 1024;
