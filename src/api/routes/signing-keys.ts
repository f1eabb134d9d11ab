import { randomBytes } from "node:crypto";
import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { uuid } from "../../contract/parameters.ts";
import { signingKeyInput, signingKeySchema, signingSecretSchema } from "../../contract/signing-key.ts";
import type { SigningKeyRecord } from "../../store/port/instance.ts";
import type { ApiDeps } from "../deps.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

const params = z.object({ id: uuid });

export function signingKeyRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/signing-keys`,
      group: "Signing keys",
      summary: "List signing keys, newest first",
      responses: { 200: { description: "The keys.", schema: pageSchema(signingKeySchema) } },
      handler: async ({ principal, store }) => ({
        status: 200,
        body: { items: (await store.signingKeys.list(principal.projectId)).map(view), nextCursor: null },
      }),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/signing-keys`,
      group: "Signing keys",
      summary: "Make a signing key; from then on calls are signed with it",
      body: signingKeyInput,
      responses: { 201: { description: "The key.", schema: signingKeySchema } },
      handler: createKey,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/signing-keys/:id/secret`,
      group: "Signing keys",
      summary: "Show a signing key's secret, for those who verify",
      params,
      responses: { 200: { description: "The secret.", schema: signingSecretSchema } },
      handler: async ({ params, principal, store, note }) => {
        const secret = await store.signingKeys.reveal(principal.projectId, params.id);
        if (secret === null) throw noKey(params.id);
        note({ kind: "signing key", id: params.id });
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
      group: "Signing keys",
      summary: "Delete a signing key",
      params,
      responses: { 204: { description: "It is deleted." } },
      handler: async ({ params, principal, store, note }) => {
        if (!(await store.signingKeys.delete(principal.projectId, params.id))) throw noKey(params.id);
        note({ kind: "signing key", id: params.id });
        return { status: 204 };
      },
    }),
  ];
}

async function createKey({
  body,
  principal,
  store,
  note,
}: Call<unknown, unknown, z.infer<typeof signingKeyInput>>): Promise<Answer> {
  const secret = body.secret === undefined ? randomBytes(SECRET_BYTES) : secretBytes(body.secret);
  const key = await store.signingKeys.create(principal.projectId, body.name, secret);
  if (key === "name_taken") throw new PunctualError("name_taken", `there is another signing key called "${body.name}"`);
  note({ kind: "signing key", id: key.id, name: key.name });
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
