// Thousands of requests made from the served OpenAPI document: right, nearly right and hostile. Whatever is sent, the answer is
// one that the document declares, refusals have the one format, and nothing fails inside.
//
// A failure prints its seed and the request. To replay: FUZZ_SEED=<seed> npx vitest run tests/e2e/api/fuzz.test.ts; to look
// for longer, FUZZ_RUNS=50000 with another seed.

import { randomInt } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ERRORS } from "../../../src/contract/errors.ts";
import { type ApiServer, ECHO, KEY, startApi } from "./api-server.ts";
import { type FuzzedRequest, type Known, type Operation, operationsOf, requestsOf } from "./fuzzed-requests.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 700);
const RESTORE_EVERY = 25;
const SEEDS = process.env.FUZZ_SEED ? [Number(process.env.FUZZ_SEED)] : [7420, randomInt(2 ** 31)];

let api: ApiServer;
let operations: Operation[];
beforeAll(async () => {
  // Not for development: that has a route that answers as it is told.
  api = await startApi({ options: { dev: false } });
  operations = operationsOf((await api.request("GET", "//openapi.json", { key: null })).body);
});
afterAll(async () => await api.close());

test.each(SEEDS)(
  "no request gets an answer that the document does not declare (seed %i)",
  async (seed) => {
    const known = await thingsToAskFor();
    const requests = fc.constantFrom(...operations).chain((operation) => requestsOf(operation, known));
    const before = prototypes();
    let asked = 0;
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        if (asked++ % RESTORE_EVERY === 0) await restore();
        const { status, problem } = await ask(request);
        statuses.add(status);
        if (problem !== null) throw new Error(`${problem}\n${JSON.stringify(request).slice(0, 4_000)}`);
      }),
      // What came of a request hangs on those before it, so a smaller one would be another.
      { seed, numRuns: RUNS, endOnFailure: true },
    );
    expect(prototypes()).toEqual(before);
    // Otherwise it would have been refused at the door, all of it.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 404]));
    await stillWorks();
  },
  Math.max(180_000, RUNS * 200),
);

/** Some of everything, so that ids and names lead somewhere. */
async function thingsToAskFor(): Promise<Known> {
  const made = async (method: string, path: string, body?: object) => (await api.request(method, path, { body })).body;
  const job = await made("PUT", "/jobs/victim", { target: ECHO, schedule: { cron: "0 2 * * *" } });
  const executions: string[] = [];
  for (let i = 0; i < 20; i += 1) executions.push((await made("POST", "/jobs/victim/trigger", { delay: "1h" })).id);
  const keys: string[] = [];
  for (let i = 0; i < 5; i += 1) keys.push((await made("POST", "/api-keys", { name: "victim", scopes: ["read"] })).id);
  const project = await made("POST", "/projects", { name: `victim-${randomInt(2 ** 31)}` });
  const signing = await made("POST", "/signing-keys", { name: `victim-${randomInt(2 ** 31)}` });
  await restore();
  return {
    jobs: ["victim", job.id],
    executions,
    projects: [project.id, project.name],
    "api-keys": keys,
    "signing-keys": [signing.id],
    secrets: ["VICTIM"],
    workers: ["victim"],
  };
}

/** What has a name comes back when it was deleted. */
async function restore(): Promise<void> {
  await api.request("PUT", "/jobs/victim", { body: { target: ECHO } });
  await api.request("PUT", "/secrets/VICTIM", { body: { value: "x" } });
  await api.request("PUT", "/workers/victim", { body: { handlers: [{ name: "victim" }] } });
}

async function ask(request: FuzzedRequest): Promise<{ status: number; problem: string | null }> {
  const { method, path, headers, body } = request;
  const response = await fetch(api.url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    redirect: "manual",
    ...(body === null ? {} : { body }),
  });
  if (response.headers.get("content-type") === "text/event-stream") {
    await response.body?.cancel();
    return { status: response.status, problem: response.status === 200 ? null : "a stream that is no success" };
  }
  return {
    status: response.status,
    problem: judge(operations.find(({ id }) => id === request.id)!, response, await response.text()),
  };
}

const errorFormat = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(ERRORS) as [keyof typeof ERRORS]),
    message: z.string().min(1),
    details: z.array(
      z.strictObject({ path: z.string(), code: z.string(), message: z.string(), value: z.unknown().optional() }),
    ),
    requestId: z.string().min(1),
  }),
});

/** What is wrong with an answer, or null. */
function judge(operation: Operation, { status, headers }: Response, text: string): string | null {
  if (status >= 500 && status !== 503) return `answered ${status} ${text}`;
  if (status >= 400) {
    const parsed = errorFormat.safeParse(parsedJson(text));
    if (!parsed.success) return `answered ${status} in another format: ${text.slice(0, 500)}`;
    const { code } = parsed.data.error;
    return ERRORS[code].status === status ? null : `answered ${status} with the code ${code}`;
  }
  const declared = operation.responses[status];
  if (declared === undefined) return `answered ${status}, which is not declared`;
  const [type, schema] = declared;
  if (type === null) return text === "" ? null : `answered ${status} with a body, which is not declared`;
  if (!headers.get("content-type")?.startsWith(type))
    return `answered ${headers.get("content-type")} instead of ${type}`;
  if (type !== "application/json") return null;
  const parsed = schema.safeParse(parsedJson(text));
  return parsed.success
    ? null
    : `answered what its schema does not allow: ${parsed.error.message} in ${text.slice(0, 1_000)}`;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function prototypes(): string[] {
  return [Object, Array, String, Number, Function].flatMap(({ name, prototype }) =>
    Reflect.ownKeys(prototype).map((key) => `${name}.${String(key)}`),
  );
}

async function stillWorks(): Promise<void> {
  const name = `after-${randomInt(2 ** 31)}`;
  expect((await api.request("POST", "/jobs", { body: { name, target: ECHO } })).status).toBe(201);
  expect((await api.request("POST", `/jobs/${name}/trigger`)).status).toBe(201);
  const { body } = await api.request("GET", `/jobs/${name}/executions`);
  expect(body.items).toHaveLength(1);
}
