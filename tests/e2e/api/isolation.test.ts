// Every route, walked by those who may do everything in another project, with the ids and names of things that are not
// theirs: nothing is told, nothing is changed. A route that is added later is walked too; if it has a place this test cannot
// fill in, it says so.

import { afterEach, beforeEach, expect, test } from "vitest";
import { API_DEFAULTS } from "../../../src/api/deps.ts";
import type { Route } from "../../../src/api/route.ts";
import { apiRoutes } from "../../../src/api/server.ts";
import { claim, failed, PROJECT } from "../../support/store.ts";
import { type ApiServer, type RequestOptions, STRANGER_KEY, startApi } from "./api-server.ts";
import { addPerson, by, signIn, tokenFor, tokenWay } from "./people.ts";
import { rowsOf } from "./project-rows.ts";

/** In every text of the victim's that can be read anywhere. */
const MARK = "zebra";
const JOB_NAME = "victims-job";
const WORKER = "/workers/victims-worker";
const TARGET = { type: "http", url: `https://${MARK}.example/` };

interface Victim {
  jobId: string;
  executionId: string;
  failedId: string;
  signingKeyId: string;
  apiKeyId: string;
  memberId: string;
  /** What its worker holds. */
  held: { id: string; token: string };
}

let api: ApiServer;
let victim: Victim;
let routes: Route[];

beforeEach(async () => {
  api = await startApi({ ways: [tokenWay(() => api.database.store)] });
  const closed = apiRoutes(api.deps, { ...API_DEFAULTS, dev: false }).filter(({ permission }) => permission !== "open");
  const last = ({ method, path }: Route) => Number(MAKES_OWN.includes(`${method} ${path.replace("/api/v1", "")}`));
  routes = closed.toSorted((a, b) => last(a) - last(b));
  victim = await makeVictim();
});
afterEach(async () => await api.close());

async function makeVictim(): Promise<Victim> {
  const make = async (method: string, path: string, body: object) => {
    const made = await api.request(method, path, { body });
    expect(made.status, `${method} ${path}: ${made.text}`).toBeLessThan(300);
    return made.body;
  };
  const job = { name: JOB_NAME, description: MARK, tags: [MARK], payload: { [MARK]: 1 }, target: TARGET };
  const { id: jobId } = await make("POST", "/jobs", { ...job, retry: { maxAttempts: 1 } });
  const { id: failedId } = await make("POST", `/jobs/${jobId}/trigger`, {});
  const { claimed } = await claim(api.database.store, api.database.nodeId);
  await api.database.store.queue.settleFinal(claimed.map((each) => ({ ...failed(each), result: { [MARK]: 2 } })));
  const { id: executionId } = await make("POST", `/jobs/${jobId}/trigger`, { delay: "1h", key: MARK });
  await make("PUT", "/secrets/VICTIMS_SECRET", { value: MARK });
  const { id: signingKeyId } = await make("POST", "/signing-keys", { name: MARK });
  const { id: apiKeyId } = await make("POST", "/api-keys", { name: MARK, scopes: ["read"] });
  await make("POST", "/members", { email: "both@example.com", role: "viewer" });
  const { id: memberId } = await make("POST", "/members", { email: `${MARK}@example.com`, role: "editor" });
  await make("POST", "/jobs", { name: `${MARK}-worked`, target: { type: "worker", handler: MARK } });
  await make("POST", `/jobs/${MARK}-worked/trigger`, {});
  await make("PUT", WORKER, { name: MARK, handlers: [{ name: MARK }] });
  const wish = { requestId: "1", handlers: [{ name: MARK, free: 1 }], waitMs: 20_000 };
  const { executions } = await make("POST", `${WORKER}/claim`, wish);
  const { id, token } = executions[0];
  return { jobId, executionId, failedId, signingKeyId, apiKeyId, memberId, held: { id, token } };
}

/** The ways in which a path can name the victim's things. */
function victimsPaths(path: string): string[] {
  const { jobId, executionId, failedId, signingKeyId, apiKeyId, memberId, held } = victim;
  const places: [pattern: RegExp, values: string[]][] = [
    [/\/jobs\/:id/, [jobId, JOB_NAME]],
    [/\/executions\/:id/, [executionId, failedId, held.id]],
    [/\/signing-keys\/:id/, [signingKeyId]],
    [/\/api-keys\/:id/, [apiKeyId]],
    [/\/members\/:id/, [memberId]],
    [/\/sessions\/:id/, [memberId]],
    [/\/projects\/:id/, [PROJECT, "default"]],
    [/\/workers\/:id/, ["victims-worker"]],
    [/\/secrets\/:name/, ["VICTIMS_SECRET"]],
    [/\/versions\/:n/, ["1"]],
  ];
  let paths = [path];
  for (const [pattern, values] of places)
    if (pattern.test(path))
      paths = paths.flatMap((each) =>
        values.map((value) => each.replace(pattern, (found) => found.replace(/:\w+$/, value))),
      );
  for (const each of paths) expect(each, "say in this test what this parameter names").not.toContain(":");
  return paths;
}

/** A body that would do something, if the thing were there; `{}` for all others. */
function bodyFor(method: string, path: string): object {
  const { jobId, failedId, executionId, held } = victim;
  const bodies: Record<string, object> = {
    "POST /jobs": { name: "mine", target: TARGET_OF_MINE },
    "PUT /jobs/:id": { target: TARGET_OF_MINE },
    "PATCH /jobs/:id": { priority: 1 },
    "POST /triggers": { items: [{ job: jobId }] },
    "POST /bulk/jobs": { action: "delete", ids: [jobId] },
    "POST /bulk/executions": { action: "cancel", ids: [executionId] },
    "POST /dead-letters/retry": { ids: [failedId] },
    "POST /dead-letters/discard": { ids: [failedId] },
    "POST /schedules/preview": { schedule: { every: "1h" } },
    "POST /targets/test": { target: TARGET_OF_MINE },
    "PUT /secrets/:name": { value: "mine" },
    "POST /signing-keys": { name: "mine" },
    "POST /api-keys": { name: "mine", scopes: ["read"] },
    "POST /projects": { name: "mine" },
    "POST /members": { email: "both@example.com", role: "viewer" },
    "PATCH /members/:id": { role: "admin" },
    "PUT /workers/:id": { handlers: [{ name: "mine" }] },
    "POST /workers/:id/claim": { requestId: "1", handlers: [{ name: "mine", free: 5 }] },
    "POST /workers/:id/heartbeat": { executions: [{ ...held, progress: 1 }] },
    "POST /workers/:id/settle": { items: [{ ...held, outcome: "succeeded" }] },
    "POST /workers/:id/logs": {
      items: [{ ...held, lines: [{ seq: 1, at: new Date().toISOString(), level: "info", message: "hi" }] }],
    },
  };
  return bodies[`${method} ${path.replace("/api/v1", "")}`] ?? {};
}

const TARGET_OF_MINE = { type: "http", url: "https://mine.example/" };

/** What goes by a name of one's own choosing makes one's own thing under it: they come last, when all else was walked. */
const MAKES_OWN = ["PUT /jobs/:id", "PUT /secrets/:name", "PUT /workers/:id"];

/** A worker that is not known is told that nothing of what it says is taken, or that it is gone, which it is. */
const ANSWERS_ANYWAY = ["POST /workers/:id/settle", "POST /workers/:id/logs", "DELETE /workers/:id"];

/** Admins of the other project, known in each way there is. */
const STRANGERS: Record<string, () => Promise<RequestOptions>> = {
  key: async () => ({ key: STRANGER_KEY }),
  session: async () => {
    await addPerson(api, "stranger@example.com", { roles: { other: "admin" } });
    return by(await signIn(api, "stranger@example.com"), "other");
  },
  token: async () => ({ key: await tokenFor({ other: "admin" }), headers: { "punctual-project": "other" } }),
};

test.each(Object.keys(STRANGERS))("no route shows or changes to a %s what belongs to another project", async (kind) => {
  const stranger = await STRANGERS[kind]!();
  const before = await victimsRows();
  expect(before.join()).toContain(MARK);
  for (const { method, path, permission } of routes) {
    const short = path.replace("/api/v1", "");
    for (const filled of victimsPaths(path)) {
      const body = method === "GET" || method === "DELETE" ? {} : { body: bodyFor(method, path) };
      const answer = await api.request(method, `/${filled}`, { ...stranger, ...body });
      const what = `${method} ${filled}: ${answer.status} ${answer.text.slice(0, 500)}`;
      expect(answer.text, what).not.toContain(MARK);
      expect(answer.status, what).toBeLessThan(500);
      const allowed = permission === "person" ? kind === "session" : permission !== "instance";
      if (!allowed) expect(answer.status, what).toBe(403);
      else if (ANSWERS_ANYWAY.includes(`${method} ${short}`)) expect(answer.status, what).toBeLessThan(300);
      else if (path.includes(":") && !makesOwn(`${method} ${short}`, filled)) expect(answer.status, what).toBe(404);
      else if (!REFUSED_ANYWAY.includes(short)) expect(answer.status, what).toBeLessThan(300);
    }
  }
  const after = await victimsRows();
  expect(before.filter((row) => !after.includes(row))).toEqual([]);
  expect(after).toHaveLength(before.length);
});

/** A job that is not there is a mistake in what was sent; and so is a password that was not. */
const REFUSED_ANYWAY = ["/triggers", "/me/password"];

test("who learnt the token of another project's claim can do nothing with it", async () => {
  const say = async (what: string, key?: string) => {
    const body = bodyFor("POST", `/workers/:id/${what}`);
    return (await api.request("POST", `${WORKER}/${what}`, { body, ...(key === undefined ? {} : { key }) })).body;
  };
  await api.request("PUT", WORKER, { key: STRANGER_KEY, body: { handlers: [{ name: MARK }] } });
  expect(await say("heartbeat", STRANGER_KEY)).toMatchObject({ items: [{ status: "lost" }] });
  expect(await say("logs", STRANGER_KEY)).toMatchObject({ accepted: 0 });
  expect(await say("settle", STRANGER_KEY)).toMatchObject({ items: [{ accepted: false }] });
  expect(await say("heartbeat")).toMatchObject({ items: [{ status: "ok" }] });
  expect(await say("settle")).toMatchObject({ items: [{ accepted: true }] });
});

function makesOwn(route: string, filled: string): boolean {
  return MAKES_OWN.includes(route) && !filled.includes(victim.jobId);
}

async function victimsRows(): Promise<string[]> {
  const { jobId, executionId, failedId, held } = victim;
  const executions = [executionId, failedId, held.id];
  return await rowsOf(api.database.pool, { projectId: PROJECT, jobs: [jobId], executions });
}
