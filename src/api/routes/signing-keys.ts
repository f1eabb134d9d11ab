import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseDuration } from "../../contract/duration.ts";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { uuid } from "../../contract/parameters.ts";
import {
  rotateSigningKeySchema,
  type SigningKey,
  signingKeyInput,
  signingKeySchema,
  signingSecretSchema,
} from "../../contract/signing-key.ts";
import { SIGNATURES_MAX } from "../../core/signing-keys.ts";
import type { SigningKeyDeletion, SigningKeyRecord, SigningKeyRotation } from "../../store/port/signing-keys.ts";
import type { ApiDeps } from "../deps.ts";
import { type Call, PREFIX, type Route, route } from "../route.ts";
import { jobsInWords } from "../used-by.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

const params = z.object({ id: uuid });
type Params = z.infer<typeof params>;
type Told = Pick<Call, "note" | "principal">;

export function signingKeyRoutes(deps: ApiDeps): Route[] {
  const told = (event: string, { note, principal }: Told, key: SigningKeyRecord, more: object = {}) => {
    const { id, name, version } = key;
    deps.log.info(event, {
      signingKeyId: id,
      name,
      version,
      projectId: principal.projectId,
      by: principal.name,
      ...more,
    });
    note({ kind: "signing key", id, name, after: { version, ...more } });
  };
  return [
    route({
      method: "GET",
      path: `${PREFIX}/signing-keys`,
      group: "Signing keys",
      summary: "List signing keys, newest first; versions that are over are shown for 30 days",
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
      handler: async (call) => {
        const key = await createKey(call);
        told("signing_key.created", call, key);
        return { status: 201, body: view(key) };
      },
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
      summary: "Delete a version of a signing key; refused for the last that signs a call",
      params,
      responses: { 204: { description: "It is deleted." } },
      handler: async (call) => {
        const { params, principal, store } = call;
        const result = await store.signingKeys.delete(principal.projectId, params.id);
        if (result.kind !== "deleted") throw notDeleted(result, params.id);
        told("signing_key.deleted", call, result.key);
        return { status: 204 };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/signing-keys/:id/rotate`,
      group: "Signing keys",
      summary: "Replace a signing key by a new version; for a while calls are signed with both",
      params,
      body: rotateSigningKeySchema,
      responses: { 201: { description: "The new version.", schema: signingKeySchema } },
      handler: async (call) => {
        const key = await rotate(call);
        told("signing_key.rotated", call, key, { replaces: call.params.id, overlap: call.body.overlap });
        return { status: 201, body: view(key) };
      },
    }),
  ];
}

async function createKey({
  body,
  principal,
  store,
}: Call<unknown, unknown, z.infer<typeof signingKeyInput>>): Promise<SigningKeyRecord> {
  const secret = body.secret === undefined ? randomBytes(SECRET_BYTES) : secretBytes(body.secret);
  const { name, use } = body;
  const key = await store.signingKeys.create(principal.projectId, { name, use, secret });
  if (key === "name_taken")
    throw new PunctualError("name_taken", `there is another signing key called "${name}"; rotate it to replace it`);
  if (key === "too_many") throw tooMany();
  return key;
}

async function rotate({
  params,
  body,
  principal,
  store,
}: Call<Params, unknown, z.infer<typeof rotateSigningKeySchema>>): Promise<SigningKeyRecord> {
  const options = { secret: randomBytes(SECRET_BYTES), overlapMs: parseDuration(body.overlap) };
  const result = await store.signingKeys.rotate(principal.projectId, params.id, options);
  if (result.kind !== "rotated") throw notRotated(result, params.id);
  return result.key;
}

function notRotated(result: Exclude<SigningKeyRotation, { kind: "rotated" }>, id: string): PunctualError {
  if (result.kind === "not_found") return noKey(id);
  if (result.kind === "too_many") return tooMany();
  const { key, newest } = result;
  const end = key.state === "expired" ? "ended" : "ends";
  const remedy = newest === null ? "make a new key" : `rotate version ${newest.version}, ${newest.id}`;
  return new PunctualError(
    "wrong_state",
    `version ${key.version} of the signing key "${key.name}" was rotated before and ${end} at ${key.expiresAt?.toISOString()}; ${remedy}`,
  );
}

function notDeleted(result: Exclude<SigningKeyDeletion, { kind: "deleted" }>, id: string): PunctualError {
  if (result.kind === "not_found") return noKey(id);
  const { key, jobs } = result;
  const remedy = `to replace it at once, rotate it with the overlap 0s`;
  return new PunctualError(
    "wrong_state",
    result.kind === "named"
      ? `the signing key "${key.name}" is named by ${jobsInWords(jobs)}, whose calls would fail; change those first, or ${remedy}`
      : `the signing key "${key.name}" is the last of the project, and calls would go unsigned; make another first, or ${remedy}`,
  );
}

function tooMany(): PunctualError {
  return new PunctualError(
    "wrong_state",
    `a call carries at most ${SIGNATURES_MAX} signatures, and as many keys sign already; delete one that no receiver needs any more, or wait until an overlap is over`,
  );
}

function secretBytes(text: string): Buffer {
  return Buffer.from(text.slice("whsec_".length), "base64");
}

function noKey(id: string): PunctualError {
  return new PunctualError("not_found", `there is no signing key "${id}"`);
}

function view({ id, name, version, use, state, createdAt, expiresAt }: SigningKeyRecord): SigningKey {
  return {
    id,
    name,
    version,
    use,
    state,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
