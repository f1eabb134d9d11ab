// Nothing secret is anywhere it need not be. A real node at its most talkative is given values like no others, which targets
// give back in every way; then everything that is stored, logged or answered is searched for them.
import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type Canary, canaryOf, findCanaries, makeCanary } from "../support/canaries.ts";
import { startCommand } from "../support/command.ts";
import { createTestDatabase } from "../support/database.ts";
import { type EchoingTarget, startEchoingTarget } from "../support/echoing-target.ts";
import { openEventStream } from "../support/event-stream.ts";
import { ADMIN_KEY, launchNode, type TestNode } from "../support/nodes.ts";
import { until } from "../support/programs.ts";

/** In headers, paths, queries and bodies. */
const ANYWHERE = [
  makeCanary("PLAIN"),
  makeCanary("QUOTES", (core) => `"it's" \\${core}`),
  makeCanary("MARKUP", (core) => `<b a="${core}">&amp;`),
  makeCanary("URL", (core) => `a/b?c=d&e+f %41 ${core}#!*()`),
  makeCanary("LATIN", (core) => `äöü ${core} ÿ`),
  makeCanary("BASE64", (core) => `${Buffer.from(core).toString("base64")}==`),
  makeCanary("LONG", (core) => core.repeat(40)),
];
/** Headers cannot carry these. */
const BODIES_ONLY = [
  makeCanary("WIDE", (core) => `€ 🔑 ${core} \u2028`),
  makeCanary("LINES", (core) => `one\r\nx-injected: ${core}`),
];
const SECRETS = [...ANYWHERE, ...BODIES_ONLY];
const MODES = [
  ...["json", "ascii", "html-json", "slashes", "every-letter", "text", "html", "form", "base64", "base64url", "hex"],
  ...["fail", "redirect", "challenge", "cut", "halfway", "nonsense", "close", "hang"],
];

const use = ({ name }: Canary) => `{{secrets.${name}}}`;

function targetOf(target: EchoingTarget, mode: string, given: object = {}) {
  return {
    type: "http",
    url: `${target.url}/${mode}/${ANYWHERE.filter(({ name }) => name !== "LONG")
      .map(use)
      .join("/")}?u=${use(ANYWHERE[0]!)}`,
    headers: Object.fromEntries(ANYWHERE.map((canary) => [`x-${canary.name}`, `Bearer ${use(canary)}`])),
    query: Object.fromEntries(
      ANYWHERE.filter(({ name }) => name !== "LONG").map((canary) => [canary.name, use(canary)]),
    ),
    body: Object.fromEntries(SECRETS.map((canary) => [canary.name, `value ${use(canary)}`])),
    timeout: "2s",
    ...given,
  };
}

interface Run {
  node: TestNode;
  pool: pg.Pool;
  target: EchoingTarget;
  environment: Record<string, string>;
  /** All that was printed, stored or answered. */
  places: Map<string, string>;
  /** What became known only while it ran. */
  found: Canary[];
}

test("no secret is stored, logged or answered where it need not be", async () => {
  const run = await startRun();
  const { node, places, found } = run;
  const [visible, encryptionKey] = [makeCanary("VISIBLE"), run.environment.PUNCTUAL_ENCRYPTION_KEYS!];
  const hidden = [
    ...SECRETS,
    canaryOf("ENCRYPTION_KEY", encryptionKey, Buffer.from(encryptionKey, "base64")),
    canaryOf("ADMIN_KEY", ADMIN_KEY),
    canaryOf("DATABASE_PASSWORD", new URL(run.environment.PUNCTUAL_DATABASE_URL!.replace("@/", "@h/")).password),
  ];
  const events = await openEventStream(`${node.url}/api/v1/events`, { key: ADMIN_KEY });

  for (const { name, value } of SECRETS) await node.insist("PUT", `/secrets/${name}`, { value });
  await makeMistakes(run);
  await makeKeys(run);
  await runJobs(run, visible);
  await runCommands(run);
  await runCallback(run);
  await tryTargets(run);

  places.set("events", JSON.stringify(events.heard));
  await dumpDatabase(run);
  await readEverything(run);
  await askCommands(run);
  expect(node.log.filter(({ level }) => level === "debug").length).toBeGreaterThan(0);
  expect([...places.keys()]).toEqual(expect.arrayContaining(["log", "events", "table execution", "GET /metrics"]));
  expect(findCanaries(places, [...hidden, ...found])).toEqual([]);
  // The same search finds what is there for all to see.
  expect(findCanaries(places, [visible])).toEqual(
    expect.arrayContaining(["VISIBLE in table job_version", "VISIBLE in GET /api/v1/jobs/json"]),
  );
});

async function startRun(): Promise<Run> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const password = `db-${randomBytes(12).toString("hex")}`;
  const environment = {
    PUNCTUAL_DATABASE_URL: database.url.replace(/(:[^@/]*)?@\//, `:${password}@/`),
    PUNCTUAL_ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    PUNCTUAL_ADMIN_KEY: ADMIN_KEY,
    PUNCTUAL_LOG_LEVEL: "debug",
    PUNCTUAL_SHELL: "on",
    PUNCTUAL_EGRESS_ALLOW: "127.0.0.0/8",
    PUNCTUAL_EGRESS_DENY: "127.0.0.9",
    PUNCTUAL_EGRESS_PORTS: "1-65535",
  };
  const node = launchNode({ databaseUrl: environment.PUNCTUAL_DATABASE_URL, env: environment });
  const places = new Map<string, string>([["log", ""]]);
  for (const stream of [node.process.stdout!, node.process.stderr!])
    stream.on("data", (text: string) => places.set("log", places.get("log") + text));
  await node.ready();
  return { node, pool: database.pool, target: await startEchoingTarget(), environment, places, found: [] };
}

/** Asks, and keeps the answer as something to be searched. */
async function ask(run: Run, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await run.node.api<Record<string, unknown>>(method, path, body, headers);
  run.places.set(`answer ${run.places.size} of ${method} ${path}`, JSON.stringify(answer));
  return answer;
}

async function makeMistakes(run: Run): Promise<void> {
  const { value } = ANYWHERE[0]!;
  const wrong = [
    { value: [value] },
    { value: value.repeat(3_000) },
    { value, valeu: value },
    value,
    { value: `${value}\u0000` },
  ];
  for (const body of wrong) expect((await ask(run, "PUT", "/secrets/WRONG", body)).status).toBe(400);
  const raw = await fetch(`${run.node.url}/api/v1/secrets/WRONG`, {
    method: "PUT",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: `{"value":${value}}`,
  });
  expect(raw.status).toBe(400);
  run.places.set("answer to malformed JSON", await raw.text());
  const key = { name: "bad", secret: `whsec_${Buffer.from(value).toString("base64")}!` };
  expect((await ask(run, "POST", "/signing-keys", key)).status).toBe(400);
  const plain = { name: "plain", target: { type: "http", url: run.target.url, headers: { authorization: value } } };
  expect((await ask(run, "POST", "/jobs", plain)).status).toBe(400);
  expect((await ask(run, "GET", "/me", undefined, { authorization: `Bearer ${value}` })).status).toBe(401);
}

async function makeKeys(run: Run): Promise<void> {
  const { node, found } = run;
  const bytes = randomBytes(32);
  found.push(canaryOf("SIGNING_KEY", bytes.toString("base64"), bytes));
  const written = { name: "brought", secret: `whsec_${bytes.toString("base64")}` };
  const brought = await ask(run, "POST", "/signing-keys", written, { "idempotency-key": randomUUID() });
  const rotated = await ask(
    run,
    "POST",
    `/signing-keys/${brought.body.id}/rotate`,
    {},
    { "idempotency-key": randomUUID() },
  );
  const shown = await node.api<{ secret: string }>("GET", `/signing-keys/${rotated.body.id}/secret`);
  const made = shown.body.secret.slice("whsec_".length);
  found.push(canaryOf("ROTATED_SIGNING_KEY", made, Buffer.from(made, "base64")));
  // The answer that makes a key is the one place where it must be.
  const apiKey = await node.insist("POST", "/api-keys", { name: "made", scopes: ["read"] });
  const next = await node.insist("POST", `/api-keys/${apiKey.id}/rotate`);
  for (const { key } of [apiKey, next]) found.push(canaryOf("API_KEY", String(key).split("_")[2]!));
  await ask(run, "GET", "/me", undefined, { authorization: `Bearer ${next.key}` });
}

async function runJobs(run: Run, visible: Canary): Promise<void> {
  const { node, target } = run;
  const retry = { maxAttempts: 2, initialDelay: "1ms", on: ["timeout", "network", "5xx"] };
  const bodyText = SECRETS.map(use).join(" and ");
  const jobs: Record<string, object> = {
    ...Object.fromEntries(MODES.map((mode) => [mode, targetOf(target, mode)])),
    ...Object.fromEntries(
      ["text", "cut", "fail"].map((mode) => [`${mode}-of-text`, targetOf(target, mode, { body: undefined, bodyText })]),
    ),
    "missing-value": targetOf(target, "json", { query: { q: `${use(ANYWHERE[0]!)} {{payload.none}}` } }),
    "line-break-in-header": targetOf(target, "json", { headers: { "x-a": use(BODIES_ONLY[1]!) } }),
    "wide-in-header": targetOf(target, "json", { headers: { "x-a": use(BODIES_ONLY[0]!) } }),
    refused: targetOf(target, "json", { url: `http://127.0.0.1:1/${use(ANYWHERE[0]!)}` }),
  };
  for (const [name, written] of Object.entries(jobs))
    expect(
      (await ask(run, "PUT", `/jobs/${name}`, { target: written, retry, description: visible.value })).status,
    ).toBe(201);
  const denied = targetOf(target, "json", { url: `http://127.0.0.9/${use(ANYWHERE[0]!)}` });
  expect((await ask(run, "POST", "/jobs", { name: "denied", target: denied })).status).toBe(400);
  const runs = await Promise.all(Object.keys(jobs).map((name) => ask(run, "POST", `/jobs/${name}/trigger`, {})));
  const states = await Promise.all(runs.map(({ body }) => finalState(node, body.id)));
  expect(new Set(states)).toEqual(new Set(["succeeded", "failed"]));
  // What was sent was real: the target saw every value.
  for (const { name, value } of SECRETS)
    expect({ name, seen: target.seen.some(({ body }) => body.includes(JSON.stringify(value).slice(1, -1))) }).toEqual({
      name,
      seen: true,
    });
  const again = await ask(run, "POST", `/executions/${runs[Object.keys(jobs).indexOf("fail")]!.body.id}/retry`, {});
  await finalState(node, again.body.id);
  await ask(run, "POST", "/dead-letters/retry", { filter: {} });
  await cancelOne(run);
}

async function cancelOne(run: Run): Promise<void> {
  const { body: started } = await ask(run, "POST", "/jobs/hang/trigger", {});
  await until(async () => (await run.node.api("GET", `/executions/${started.id}`)).body.state === "running");
  expect((await ask(run, "POST", `/executions/${started.id}/cancel`, {})).status).toBe(200);
}

async function runCommands(run: Run): Promise<void> {
  const written = {
    type: "shell",
    command: "/bin/sh",
    args: [
      "-c",
      'printf "%s\\n" "$1" "$A"; printf "%s" "$A" | base64 -w0; printf "%s\\n" "$A" >&2; exit 3',
      "sh",
      use(ANYWHERE[0]!),
    ],
    env: { A: use(ANYWHERE[1]!), B: use(BODIES_ONLY[0]!) },
  };
  await ask(run, "PUT", "/jobs/command", { target: written, retry: { maxAttempts: 1 } });
  const { body } = await ask(run, "POST", "/jobs/command/trigger", {});
  expect(await finalState(run.node, body.id)).toBe("failed");
}

/** Whoever has the callback's address may say how the execution ended. */
/** A target that gives everything back, not with its answer but with its callback. */
async function reportBack(run: Run, written: object): Promise<void> {
  const { node, target } = run;
  await ask(run, "PUT", "/jobs/reported", { target: written, timeout: "1h", retry: { maxAttempts: 1 } });
  const { body } = await ask(run, "POST", "/jobs/reported/trigger", {});
  const seen = await until(() => target.seen.find(({ headers }) => headers["webhook-id"] === body.id));
  const { "punctual-callback-url": url, ...headers } = seen.headers;
  const error = { code: "told", message: seen.decoded.slice(0, 4_000) };
  const report = { outcome: "failed", retry: false, error, result: { ...seen, headers } };
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(report) };
  await until(async () => (await fetch(url!, init)).status === 204);
  await until(async () => (await node.api<{ state: string }>("GET", `/executions/${body.id}`)).body.state === "failed");
}

async function runCallback(run: Run): Promise<void> {
  const { node, target, found } = run;
  const written = targetOf(target, "accepted", { completion: "callback" });
  await ask(run, "PUT", "/jobs/callback", { target: written, timeout: "1h" });
  const { body } = await ask(run, "POST", "/jobs/callback/trigger", {});
  const call = await until(() => target.seen.find(({ headers }) => headers["webhook-id"] === body.id));
  const url = call.headers["punctual-callback-url"]!;
  await until(async () => JSON.stringify((await node.api("GET", `/executions/${body.id}`)).body).includes("202"));
  found.push(canaryOf("CALLBACK_TOKEN", url.slice(url.lastIndexOf("/") + 1)));
  const execution = await node.api("GET", `/executions/${body.id}`);
  run.places.set("execution that waits for its callback", JSON.stringify(execution.body));
  await reportBack(run, written);
}

async function tryTargets(run: Run): Promise<void> {
  for (const mode of MODES.filter((one) => one !== "hang"))
    await ask(
      run,
      "POST",
      "/targets/test",
      { target: targetOf(run.target, mode) },
      { "idempotency-key": randomUUID() },
    );
}

async function finalState(node: TestNode, id: unknown): Promise<unknown> {
  return await until(async () => {
    const { state } = (await node.api("GET", `/executions/${id}`)).body;
    return ["scheduled", "running", "retrying"].includes(String(state)) ? null : state;
  });
}

/** Every row of every table, and the bytes in them also as text. */
async function dumpDatabase({ pool, places }: Run): Promise<void> {
  const { rows: tables } = await pool.query<{ name: string; bytes: string[] }>(
    `select c.relname as name, array(select a.attname::text from pg_attribute a
       where a.attrelid = c.oid and a.atttypid = 'bytea'::regtype and not a.attisdropped) as bytes
     from pg_class c where c.relnamespace = 'punctual'::regnamespace and c.relkind in ('r', 'p')`,
  );
  for (const { name, bytes } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select row_to_json(t)::text as row from punctual."${name}" t`);
    const columns = bytes.map((column) => `"${column}"`).join(", ");
    const raw = bytes.length === 0 ? [] : (await pool.query(`select ${columns} from punctual."${name}"`)).rows;
    const texts = raw.flatMap((row) =>
      Object.values(row).map((value) => (value as Buffer | null)?.toString("latin1") ?? ""),
    );
    places.set(`table ${name}`, [...rows.map(({ row }) => row), ...texts].join("\n"));
  }
}

/** What a key cannot read: a person's own sessions, and the way through a provider that is not there. */
const REFUSED: Record<string, number> = {
  "/api/v1/sessions": 403,
  "/api/v1/auth/oidc": 404,
  "/api/v1/auth/oidc/callback": 404,
};

/** Every route that can be read, for everything that there is; but for the one that is there to show a secret. */
async function readEverything({ node, places }: Run): Promise<void> {
  const get = async (path: string) => {
    const response = await fetch(node.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    const text = await response.text();
    expect({ path, status: response.status }).toEqual({ path, status: REFUSED[path] ?? 200 });
    places.set(`GET ${path}`, JSON.stringify([...response.headers]) + text);
    return text;
  };
  const ids = async (path: string, field: string) =>
    (JSON.parse(await get(`/api/v1${path}`)).items as Record<string, string>[]).map((item) => item[field]!);
  const jobs = await ids("/jobs?limit=200", "name");
  const executions = await ids("/executions?limit=200&include=attempts,payload,result", "id");
  const params: Record<string, string[]> = {
    "/jobs/{id}": jobs,
    "/executions/{id}": executions,
    "/projects/{id}": await ids("/projects", "id"),
    "/workers/{id}": await ids("/workers", "id"),
    "/assets/{name}": [/assets\/([^"]+\.js)/.exec(await get("/"))![1]!],
  };
  const { paths } = JSON.parse(await get("/openapi.json")) as { paths: Record<string, object> };
  for (const [path, methods] of Object.entries(paths)) {
    if (!("get" in methods) || path.endsWith("/events") || path.endsWith("/secret")) continue;
    const start = Object.keys(params).find((prefix) => path.includes(prefix));
    expect({ path, known: start !== undefined || !path.includes("{") || path.includes("{n}") }).toEqual({
      path,
      known: true,
    });
    for (const id of start === undefined ? [""] : params[start]!)
      await get(path.replace(/\{(id|name)\}/, id).replace("{n}", "1"));
  }
  for (const path of ["/metrics", "/", "/docs/"]) await get(path);
}

async function askCommands({ environment, places }: Run): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", PUNCTUAL_HOST: "127.0.0.1", ...environment };
  for (const args of [
    ["config"],
    ["config", "--json"],
    ["check"],
    ["check", "--json"],
    ["doctor"],
    ["doctor", "--json"],
    ["migrate"],
    ["reseal"],
  ]) {
    const { out, err } = await startCommand(args, { cwd: "/", env }).ended;
    expect({ args, out }).not.toEqual({ args, out: "" });
    places.set(`punctual ${args.join(" ")}`, out + err);
  }
}
