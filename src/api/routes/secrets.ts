import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { secretInput, secretNameSchema, secretSchema } from "../../contract/secret.ts";
import type { SecretRecord } from "../../store/port/instance.ts";
import { PREFIX, type Route, route } from "../route.ts";

const params = z.object({ name: secretNameSchema });

export function secretRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/secrets`,
      permission: "read",
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
      permission: "write",
      group: "Secrets",
      summary: "Set a secret, used in targets as {{secrets.NAME}}",
      params,
      body: secretInput,
      responses: { 200: { description: "It is set.", schema: secretSchema } },
      handler: async ({ params, body, principal, store }) => ({
        status: 200,
        body: view(await store.secrets.put(principal.projectId, params.name, body.value)),
      }),
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/secrets/:name`,
      permission: "write",
      group: "Secrets",
      summary: "Delete a secret",
      params,
      responses: { 204: { description: "It is deleted." } },
      handler: async ({ params, principal, store }) => {
        if (!(await store.secrets.delete(principal.projectId, params.name)))
          throw new PunctualError("not_found", `there is no secret "${params.name}"`);
        return { status: 204 };
      },
    }),
  ];
}

function view({ name, version, createdAt, updatedAt }: SecretRecord) {
  return { name, version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
