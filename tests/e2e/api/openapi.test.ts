import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import { apiRoutes } from "../../../src/api/server.ts";
import { ERRORS } from "../../../src/contract/errors.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape is what is being looked at
let document: any;
beforeAll(async () => {
  api = await startApi();
  document = (await api.request("GET", "//openapi.json", { key: null })).body;
});
afterAll(async () => await api.close());

const METHODS = ["get", "put", "post", "delete", "patch"];

test("the document has every route that is served, with an id of its own", () => {
  expect(document.openapi).toBe("3.1.0");
  const served = apiRoutes(api.deps, { ...API_DEFAULTS, dev: true })
    .filter(({ hidden }) => !hidden)
    .map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, "{$1}")}`);
  const described = operations().map(([path, method]) => `${method.toUpperCase()} ${path}`);
  expect(described.toSorted()).toEqual([...served, "GET /api/v1/events"].toSorted());
  const ids = operations().map(([, , operation]) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every operation is whole: summary, responses, parameters of its path, a key unless it is open", () => {
  for (const [path, method, operation] of operations()) {
    const where = `${method} ${path}`;
    expect(operation.summary, where).toMatch(/\S/);
    expect(Object.keys(operation.responses).length, where).toBeGreaterThan(1);
    const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    const described = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(
      described.map((parameter) => parameter.name),
      where,
    ).toEqual(inPath);
    for (const parameter of operation.parameters)
      expect(Object.keys(parameter.schema).length, `${where} ${parameter.name}`).toBeGreaterThan(0);
    for (const response of Object.values(operation.responses))
      expect(response.description ?? response.$ref, where).toMatch(/\S/);
  }
});

test("every reference leads somewhere, and answers may gain fields", () => {
  const references: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === "$ref") references.push(value);
    return value;
  });
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    expect(reference).toMatch(/^#\//);
    const found = reference
      .slice(2)
      .split("/")
      .reduce((value, key) => value?.[key], document);
    expect(found, reference).toBeDefined();
  }
  expect(document.components.schemas.Job.additionalProperties).toBeUndefined();
  expect(document.components.schemas.Job.properties.schedule).toBeDefined();
});

test("what a job's creation takes is described field by field", () => {
  const { schema } = document.paths["/api/v1/jobs"].post.requestBody.content["application/json"];
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required).toEqual(["target"]);
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(["name", "schedule", "target", "payload", "retry", "overlap", "misfire", "paused"]),
  );
});

test("docs/errors.md has exactly the errors of the catalogue, with their status and meaning", () => {
  const manual = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const listed = [...manual.matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| (.+?) \|/gm)].map(([, code, status, meaning]) => [
    code,
    Number(status),
    meaning,
  ]);
  expect(listed).toEqual(Object.entries(ERRORS).map(([code, { status, summary }]) => [code, status, summary]));
});

interface Operation {
  summary: string;
  operationId: string;
  responses: Record<string, { description?: string; $ref?: string }>;
  parameters: { name: string; in: string; schema: object }[];
}

function operations(): [string, string, Operation][] {
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );
}
