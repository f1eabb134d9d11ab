import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { flag } from "../../contract/parameters.ts";
import { secretInput, secretNameSchema, secretSchema } from "../../contract/secret.ts";
import type { SecretRecord } from "../../store/port/instance.ts";
import type { JobsUsing } from "../../store/port/jobs.ts";
import { PREFIX, type Route, route } from "../route.ts";
import { jobsInWords } from "../used-by.ts";

const params = z.object({ name: secretNameSchema });
const deleteQuery = z.strictObject({ force: flag.describe("also if jobs use it; their calls fail from then on") });

export function secretRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/secrets`,
      group: "Secrets",
      summary: "List the names of secrets; values are never shown",
      responses: { 200: { description: "The secrets.", schema: pageSchema(secretSchema) } },
      handler: async ({ principal, store }) => ({
        status: 200,
        body: { items: (await store.secrets.list(principal.projectId)).map(view), nextCursor: null },
      }),
    }),
    route({
      method: "PUT",
      path: `${PREFIX}/secrets/:name`,
      group: "Secrets",
      summary: "Set a secret, used in targets as {{secrets.NAME}}",
      params,
      body: secretInput,
      responses: { 200: { description: "It is set.", schema: secretSchema } },
      handler: async ({ params, body, principal, store, note }) => {
        const secret = await store.secrets.put(principal.projectId, params.name, body.value);
        note({ kind: "secret", id: secret.name, name: secret.name, after: { version: secret.version } });
        return { status: 200, body: view(secret) };
      },
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/secrets/:name`,
      group: "Secrets",
      summary: "Delete a secret; refused while jobs use it, unless forced",
      params,
      query: deleteQuery,
      responses: { 204: { description: "It is deleted." } },
      handler: async ({ params: { name }, query, principal, store, note }) => {
        const result = await store.secrets.delete(principal.projectId, name, query);
        if (result.kind === "not_found") throw new PunctualError("not_found", `there is no secret "${name}"`);
        if (result.kind === "in_use") throw inUse(name, result.jobs);
        note({ kind: "secret", id: name, name });
        return { status: 204 };
      },
    }),
  ];
}

function inUse(name: string, jobs: JobsUsing): PunctualError {
  return new PunctualError(
    "wrong_state",
    `the secret "${name}" is used by ${jobsInWords(jobs)}, whose calls would fail; change those first, or delete it with force=true`,
  );
}

function view({ name, version, createdAt, updatedAt }: SecretRecord) {
  return { name, version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
