// The OpenAPI document, made from the route objects. Schemas that have a name of their own become components; the others
// stand where they are used.

import { z } from "zod";
import { apiKeySchema } from "../contract/api-key.ts";
import { bulkAnswerSchema } from "../contract/bulk.ts";
import { deadLetterSchema } from "../contract/dead-letter.ts";
import { ERRORS } from "../contract/errors.ts";
import { attemptSchema, executionSchema } from "../contract/execution.ts";
import { jobInputSchema, jobSchema } from "../contract/job.ts";
import { logLineSchema } from "../contract/log.ts";
import { projectSchema } from "../contract/project.ts";
import { schedulePreviewSchema } from "../contract/schedule-preview.ts";
import type { Response, Route } from "./route.ts";
import type { Permission } from "./rules.ts";

type JsonSchema = Record<string, unknown>;

const errorSchema = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS)),
    message: z.string(),
    details: z.array(
      z.object({ path: z.string(), code: z.string(), message: z.string(), value: z.unknown().optional() }),
    ),
    requestId: z.string(),
  }),
});

const COMPONENTS: Record<string, z.ZodType> = {
  Job: jobSchema,
  JobSpec: jobInputSchema,
  Execution: executionSchema,
  Attempt: attemptSchema,
  DeadLetter: deadLetterSchema,
  LogLine: logLineSchema,
  SchedulePreview: schedulePreviewSchema,
  BulkAnswer: bulkAnswerSchema,
  ApiKey: apiKeySchema,
  Project: projectSchema,
  Error: errorSchema,
};

export function openApiDocument(routes: readonly Route[], version: string) {
  const answers = new Schemas("output", COMPONENTS);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes.filter(({ hidden }) => !hidden)) {
    const path = route.path.replace(/:([^/]+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, answers);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Punctual",
      version,
      description: "A distributed job scheduler on PostgreSQL. Errors have one format; their codes are stable.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }, { session: [] }],
    tags: [...new Set(routes.map((route) => route.group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, or a token of the identity provider." },
        session: { type: "apiKey", in: "cookie", name: "punctual", description: "Somebody who is signed in." },
      },
      schemas: answers.components(),
      responses: { Error: { description: "What was wrong.", content: json({ $ref: "#/components/schemas/Error" }) } },
    },
  };
}

function operation(route: Route, answers: Schemas) {
  const body = route.bodyShown ?? route.body;
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.group],
    ...(route.permission === "open" ? { security: [] } : { description: needs(route.permission) }),
    parameters: [...parameters("path", route.params), ...parameters("query", route.query), ...headers(route)],
    ...(body ? { requestBody: { content: json(new Schemas("input").of(body)) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, response]) => [status, responseOf(response, answers)]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

/** `GET /api/v1/jobs/:id/versions` is `getJobsIdVersions`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/api\/v1/, "/api").match(/[A-Za-z]+/g) ?? ["root"];
  const named = words[0] === "api" ? words.slice(1) : [...words, "outside"];
  return method.toLowerCase() + named.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

function needs(permission: Permission): string {
  if (permission === "known") return "Needs any valid key, token or session.";
  if (permission === "person") return "Needs somebody who is signed in.";
  return permission === "instance" ? "Needs an instance admin." : `Needs the scope \`${permission}\`.`;
}

function responseOf({ description, schema, contentType }: Response, answers: Schemas) {
  if (schema === undefined) return { description };
  return { description, content: { [contentType ?? "application/json"]: { schema: answers.of(schema) } } };
}

/** Parameters are described as what they become: a number, a list, a moment. */
function parameters(place: "path" | "query", schema: z.ZodType | undefined) {
  if (schema === undefined) return [];
  const { properties = {} } = new Schemas("output").of(schema) as { properties?: Record<string, JsonSchema> };
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: place,
    required: place === "path",
    ...(description === undefined ? {} : { description }),
    ...(shape.type === "array" ? { style: "form", explode: false } : {}),
    schema: shape,
  }));
}

function headers({ method, path, idempotency, permission }: Route) {
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  });
  const keyed = method === "POST" && idempotency !== "none" && permission !== "open";
  const conditional = /\/jobs\/:id$/.test(path) && method !== "GET";
  return [
    ...(keyed ? [header("idempotency-key", "The same key and body again get the first answer, for 24 hours.")] : []),
    ...(conditional ? [header("if-match", "The ETag of the job as it was read; 412 if it was changed since.")] : []),
  ];
}

function json(schema: JsonSchema) {
  return { "application/json": { schema } };
}

/** Turns schemas into JSON Schema, with references to the named ones. */
class Schemas {
  readonly #io: "input" | "output";
  readonly #named: Record<string, z.ZodType>;

  constructor(io: "input" | "output", named: Record<string, z.ZodType> = {}) {
    this.#io = io;
    this.#named = named;
  }

  of(schema: z.ZodType): JsonSchema {
    return this.#convert({ ...this.#named, "": schema })[""]!;
  }

  components(): Record<string, JsonSchema> {
    return this.#convert(this.#named);
  }

  #convert(schemas: Record<string, z.ZodType>): Record<string, JsonSchema> {
    const name = Object.entries(this.#named).find(([, schema]) => schema === schemas[""])?.[0];
    if (name !== undefined) return { "": { $ref: `#/components/schemas/${name}` } };
    const registry = z.registry<{ id: string }>();
    for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id: id === "" ? "it" : id });
    const options = {
      io: this.#io,
      unrepresentable: "any",
      uri: (id: string) => `#/components/schemas/${id}`,
    } as const;
    const made = z.toJSONSchema(registry, options).schemas as Record<string, JsonSchema>;
    return Object.fromEntries(Object.keys(schemas).map((id) => [id, this.#cleaned(made[id === "" ? "it" : id]!)]));
  }

  /** Answers may gain fields, so their schemas are open. */
  #cleaned(schema: JsonSchema): JsonSchema {
    const { $schema: _, $id: __, ...rest } = schema;
    if (this.#io === "input") return rest;
    return JSON.parse(
      JSON.stringify(rest, (key, value) => (key === "additionalProperties" && value === false ? undefined : value)),
    );
  }
}
