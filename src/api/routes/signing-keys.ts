import { randomBytes } from "node:crypto";
import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import type { SigningKeyRecord } from "../../store/port/instance.ts";
import type { ApiDeps } from "../deps.ts";
import { listSchema, uuid } from "../parameters.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

const params = z.object({ id: uuid });
const body = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be 1 to 128 letters, digits or . _ -"),
  secret: z
    .string()
    .regex(SECRET, "must be whsec_ and base64 of 24 to 64 bytes")
    .refine(
      (text) => secretBytes(text).length >= 24 && secretBytes(text).length <= 64,
      "must be whsec_ and base64 of 24 to 64 bytes",
    )
    .optional()
    .describe("default: a new one"),
});
type Body = z.infer<typeof body>;
const keySchema = z.object({ id: z.uuid(), name: z.string(), createdAt: z.iso.datetime() });
const secretSchema = z.object({ secret: z.string().describe("whsec_…, as Standard Webhooks libraries take it") });

export function signingKeyRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/signing-keys`,
      permission: "read",
      group: "Signing keys",
      summary: "List signing keys, newest first",
      responses: { 200: { description: "The keys.", schema: listSchema(keySchema) } },
      handler: async ({ principal, store }) => ({
        status: 200,
        body: { items: (await store.signingKeys.list(principal.projectId)).map(view), nextCursor: null },
      }),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/signing-keys`,
      permission: "write",
      group: "Signing keys",
      summary: "Make a signing key; from then on calls are signed with it",
      body,
      responses: { 201: { description: "The key.", schema: keySchema } },
      handler: createKey,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/signing-keys/:id/secret`,
      permission: "admin",
      group: "Signing keys",
      summary: "Show a signing key's secret, for those who verify",
      params,
      responses: { 200: { description: "The secret.", schema: secretSchema } },
      handler: async ({ params, principal, store }) => {
        const secret = await store.signingKeys.reveal(principal.projectId, params.id);
        if (secret === null) throw noKey(params.id);
        deps.log.info("signing_key.revealed", { signingKeyId: params.id, by: principal.name });
        return {
          status: 200,
          body: { secret: `whsec_${secret.toString("base64")}` },
          headers: { "cache-control": "no-store" },
        };
      },
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/signing-keys/:id`,
      permission: "write",
      group: "Signing keys",
      summary: "Delete a signing key",
      params,
      responses: { 204: { description: "It is deleted." } },
      handler: async ({ params, principal, store }) => {
        if (!(await store.signingKeys.delete(principal.projectId, params.id))) throw noKey(params.id);
        return { status: 204 };
      },
    }),
  ];
}

async function createKey({ body, principal, store }: Call<unknown, unknown, Body>): Promise<Answer> {
  const secret = body.secret === undefined ? randomBytes(SECRET_BYTES) : secretBytes(body.secret);
  const key = await store.signingKeys.create(principal.projectId, body.name, secret);
  if (key === "name_taken") throw new PunctualError("name_taken", `there is another signing key called "${body.name}"`);
  return { status: 201, body: view(key) };
}

function secretBytes(text: string): Buffer {
  return Buffer.from(text.slice("whsec_".length), "base64");
}

function noKey(id: string): PunctualError {
  return new PunctualError("not_found", `there is no signing key "${id}"`);
}

function view({ id, name, createdAt }: SigningKeyRecord) {
  return { id, name, createdAt: createdAt.toISOString() };
}
