// Making, listing, rotating and revoking keys. The two routes that make one take no idempotency key: the answer that would
// be remembered for a repeated request holds the secret, which is kept nowhere. Whoever lost the answer finds the key in the
// list, revokes it and makes another.

import { z } from "zod";
import {
  type ApiKey,
  apiKeyIdSchema,
  apiKeySchema,
  type MadeApiKey,
  madeApiKeySchema,
  newApiKeySchema,
  rotateApiKeySchema,
} from "../../contract/api-key.ts";
import { parseDuration } from "../../contract/duration.ts";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { pageQuery } from "../../contract/parameters.ts";
import { hashSecret, makeApiKey, parseApiKey } from "../../core/api-key.ts";
import type { ApiKeyRecord } from "../../store/port/api-keys.ts";
import { untilForgotten } from "../brief-memory.ts";
import type { ApiDeps } from "../deps.ts";
import { demand } from "../principal.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { whyOver } from "../stored-keys.ts";

const params = z.object({ id: apiKeyIdSchema });
type Params = z.infer<typeof params>;
type NewKey = z.infer<typeof newApiKeySchema>;
const listQuery = z.strictObject(pageQuery);
const MADE = { description: "The key, shown this once.", schema: madeApiKeySchema };

export function apiKeyRoutes({ log }: ApiDeps): Route[] {
  const told = (event: string, { note, principal }: Told, record: ApiKeyRecord, more: object = {}) => {
    const { id, name, projectId } = record;
    log.info(event, { apiKeyId: id, name, projectId, by: principal.name, ...more });
    note({ kind: "API key", id, name, after: { ...view(record), ...more } });
  };
  return [
    route({
      method: "GET",
      path: `${PREFIX}/api-keys`,
      group: "API keys",
      summary: "List the project's keys, newest first; secrets are never shown",
      query: listQuery,
      responses: { 200: { description: "A page of keys.", schema: pageSchema(apiKeySchema) } },
      handler: async ({ query, principal, store }) => {
        const page = { after: query.cursor ?? null, limit: query.limit };
        const { items, next } = await store.apiKeys.list(principal.projectId, page);
        return { status: 200, body: { items: items.map(view), nextCursor: next } };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/api-keys`,
      group: "API keys",
      summary: "Make a key",
      body: newApiKeySchema,
      responses: { 201: MADE },
      idempotency: "none",
      handler: async (call) => {
        const { key, record } = await make(call);
        const { scopes, instanceAdmin } = record;
        told("api_key.created", call, record, { scopes, instanceAdmin });
        return shownOnce(key, record);
      },
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/api-keys/:id`,
      group: "API keys",
      summary: "Revoke a key, at once and on all nodes",
      params,
      responses: { 204: { description: "It is revoked." } },
      handler: async (call) => {
        told("api_key.revoked", call, await revoke(call));
        return { status: 204 };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/api-keys/:id/rotate`,
      group: "API keys",
      summary: "Replace a key by a new one; the old one stays valid for a while",
      params,
      body: rotateApiKeySchema,
      responses: { 201: MADE },
      idempotency: "none",
      handler: async (call) => {
        const { key, record } = await rotate(call);
        told("api_key.rotated", call, record, { replaces: call.params.id, overlap: call.body.overlap });
        return shownOnce(key, record);
      },
    }),
  ];
}

type Told = Pick<Call, "note" | "principal">;

interface Made {
  key: string;
  record: ApiKeyRecord;
}

async function make({ body, principal, store }: Call<unknown, unknown, NewKey>): Promise<Made> {
  // Nobody gives away what they do not have.
  for (const scope of body.scopes) demand(principal, scope);
  if (body.instanceAdmin) demand(principal, "instance");
  const { key, id, hash } = newKey();
  const record = await store.apiKeys.create({
    id,
    hash,
    projectId: principal.projectId,
    name: body.name,
    scopes: [...new Set(body.scopes)],
    instanceAdmin: body.instanceAdmin,
    createdBy: principal.name,
    expiresAt: expiry(body, await store.now()),
  });
  if (record === null) throw new PunctualError("not_found", `there is no project "${principal.projectName}"`);
  return { key, record };
}

async function rotate(call: Call<Params, unknown, { overlap: string }>) {
  const { body, principal, store } = call;
  const { id } = call.params;
  await refuseForeignAdmin({ params: { id }, principal, store });
  const { key, id: newId, hash } = newKey();
  const overlapMs = parseDuration(body.overlap);
  const options = { newId, hash, overlapMs, actor: principal.name };
  const result = await store.apiKeys.rotate(principal.projectId, id, options);
  if (result.kind === "not_found") throw noKey(id);
  if (result.kind === "over") throw new PunctualError("wrong_state", whyNotRotated(result.key));
  // Nodes may still remember the old key without its new end.
  call.beforeAnswer(untilForgotten);
  return { key, record: result.key };
}

async function revoke(call: Call<Params>): Promise<ApiKeyRecord> {
  await refuseForeignAdmin(call);
  const record = await call.store.apiKeys.revoke(call.principal.projectId, call.params.id);
  if (record === null) throw noKey(call.params.id);
  call.beforeAnswer(untilForgotten);
  return record;
}

/** An instance admin's key is out of reach for the admin of its project: rotating it would make them one too. */
async function refuseForeignAdmin({
  params: { id },
  principal,
  store,
}: Pick<Call<Params>, "params" | "principal" | "store">): Promise<void> {
  const key = await store.apiKeys.find(principal.projectId, id);
  if (key === null) throw noKey(id);
  if (key.instanceAdmin) demand(principal, "instance");
}

function newKey(): { key: string; id: string; hash: Buffer } {
  const key = makeApiKey();
  const { id, secret } = parseApiKey(key)!;
  return { key, id, hash: hashSecret(secret) };
}

function expiry({ expiresAt, expiresIn }: NewKey, now: Date): Date | null {
  if (expiresIn !== undefined) return new Date(now.getTime() + parseDuration(expiresIn));
  if (expiresAt === undefined) return null;
  const moment = new Date(expiresAt);
  if (moment > now) return moment;
  const message = `is in the past: it is ${now.toISOString()}`;
  throw PunctualError.validation([{ path: "expiresAt", code: "in_the_past", message, value: expiresAt }]);
}

function whyNotRotated(key: ApiKeyRecord): string {
  if (key.state !== "active") return `${whyOver(key)}; make a new one`;
  return `the key "${key.name}" was rotated before; rotate its successor ${key.replacedBy}`;
}

function noKey(id: string): PunctualError {
  return new PunctualError("not_found", `there is no API key "${id}"`);
}

function shownOnce(key: string, record: ApiKeyRecord): Answer {
  const body: MadeApiKey = { ...view(record), key };
  return { status: 201, body, headers: { "cache-control": "no-store" } };
}

function view(key: ApiKeyRecord): ApiKey {
  return {
    id: key.id,
    name: key.name,
    state: key.state,
    scopes: key.scopes,
    instanceAdmin: key.instanceAdmin,
    createdAt: key.createdAt.toISOString(),
    createdBy: key.createdBy,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    replacedBy: key.replacedBy,
  };
}
