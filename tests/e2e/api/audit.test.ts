import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PREFIX, ruledRoutes, ruleOf } from "../../../src/api/rules.ts";
import type { AuditEntry } from "../../../src/contract/audit.ts";
import type { NewAuditEntry } from "../../../src/store/port/audit.ts";
import { createTestDatabase } from "../../support/database.ts";
import { createTestStore, PROJECT } from "../../support/store.ts";
import { type ApiServer, KEY, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";
import { ROOT, SCENES, type Scene, Stage } from "./audit-scenes.ts";
import { addPerson, by, login, PASSWORD, signIn } from "./people.ts";

let api: ApiServer;
let stage: Stage;
let viewer: string;

beforeAll(async () => {
  api = await startApi();
  stage = await Stage.set(api);
  await addPerson(api, "viewer@example.com", { roles: { default: "viewer" } });
  viewer = await signIn(api, "viewer@example.com");
});
afterAll(async () => await api.close());

interface Line extends Record<string, unknown> {
  action: string;
  request_id: string;
}

async function linesAfter(id: string): Promise<Line[]> {
  const lines = "select * from punctual.audit where id > $1 order by id";
  return (await api.database.pool.query<Line>(lines, [id])).rows;
}

async function lastLine(): Promise<string> {
  const last = "select coalesce(max(id), 0)::text as id from punctual.audit";
  return (await api.database.pool.query<{ id: string }>(last)).rows[0]!.id;
}

async function play(route: string, scene: Scene, requestId: string) {
  const [method] = route.split(" ") as [string];
  const { headers, ...who } = scene.as ?? stage.root;
  const body = scene.body === undefined ? {} : { body: scene.body };
  return await api.request(method, scene.path, { ...who, ...body, headers: { ...headers, "x-request-id": requestId } });
}

const AUDITED = ruledRoutes()
  .map((each) => each.split(" ") as [string, string])
  .filter(([method, path]) => ruleOf(method, path).audit !== null)
  .map(([method, path]) => `${method} ${path.replace(PREFIX, "")}`)
  // Nobody comes back from a provider who was not sent to it: oidc.test.ts does both.
  .filter((route) => route !== "GET /auth/oidc/callback");

/** They tell of it after the fact: each thing they act on has a transaction of its own, or its effect is outside the store. */
const TOLD_AFTERWARDS = [
  "POST /bulk/jobs",
  "POST /bulk/executions",
  "POST /dead-letters/retry",
  "POST /dead-letters/discard",
  "POST /targets/test",
];

test("there is a scene for every route that the rules have audited", () => {
  expect(Object.keys(SCENES).toSorted()).toEqual(AUDITED.toSorted());
});

describe.each(AUDITED)("%s", (route) => {
  const rule = () => {
    const [method, path] = route.split(" ") as [string, string];
    return ruleOf(method, PREFIX + path);
  };

  test("leaves exactly one line that says who did what to what, from where", async () => {
    const scene = await SCENES[route]!(stage);
    const before = await lastLine();
    const answer = await play(route, scene, "the-request");
    expect(answer.status, answer.text).toBeLessThan(300);
    const lines = await linesAfter(before);
    expect(lines).toHaveLength(1 + (scene.linesBefore ?? 0));
    const actor = scene.actor ?? { kind: "session", id: stage.rootId, name: ROOT };
    expect(lines.at(-1)).toMatchObject({
      action: rule().audit,
      project_id: /^\/(projects|sessions|auth|me)\b/.test(scene.path) ? null : PROJECT,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: actor.name,
      object_kind: scene.object.kind,
      object_id: scene.object.id ?? expect.stringMatching(/./),
      object_name: scene.object.name ?? null,
      before: scene.before ?? null,
      after: scene.after ?? null,
      address: "127.0.0.1",
      request_id: "the-request",
    });
  });

  test.skipIf(rule().needs === "open" || rule().needs === "person")("leaves none when it is refused", async () => {
    const scene = await SCENES[route]!(stage);
    const before = await lastLine();
    const strangers = [by(viewer, "default"), { key: READ_KEY }, { key: "nobody's" }, { key: STRANGER_KEY }];
    for (const as of strangers) {
      const { status, text } = await play(route, { ...scene, as }, "refused");
      const acts = rule().needs !== "instance" && as.key === STRANGER_KEY;
      if (!acts) expect([401, 403], text).toContain(status);
    }
    expect((await linesAfter(before)).filter((line) => line.project_id === PROJECT)).toEqual([]);
  });

  test("leaves none when it fails", async () => {
    const before = await lastLine();
    const [method, path] = route.split(" ") as [string, string];
    const nothing = path.replace(/:[^/]+/g, "00000000-0000-7000-8000-00000000dead");
    for (const body of [{ nonsense: true }, {}]) {
      const sent = method === "GET" || method === "DELETE" ? {} : { body };
      const { status, text } = await api.request(method, nothing, {
        ...stage.root,
        ...sent,
        headers: credentialsFor(route),
      });
      if (route !== "POST /auth/logout") expect(status, text).toBeGreaterThanOrEqual(400);
      expect(status, text).toBeLessThan(500);
    }
    expect(await linesAfter(before)).toEqual([]);
  });

  test.skipIf(TOLD_AFTERWARDS.includes(route))("leaves nothing if its line cannot be written", async () => {
    const scene = await SCENES[route]!(stage);
    const { pool } = api.database;
    await pool.query(
      "alter table punctual.audit add constraint unwritable check (request_id <> 'unwritable') not valid",
    );
    try {
      const before = await everything();
      const answer = await play(route, scene, "unwritable");
      expect(answer.status, answer.text).toBe(500);
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(await everything()).toEqual(before);
    } finally {
      await pool.query("alter table punctual.audit drop constraint unwritable");
    }
    // And it is the line alone that was in the way.
    expect((await play(route, scene, "writable")).status).toBeLessThan(300);
  });
});

/** Signing out is open to everybody: with the cookie along it would succeed. */
function credentialsFor(route: string): Record<string, string> {
  return route === "POST /auth/logout" ? {} : stage.root.headers;
}

/** Every row of every table, without leases and last uses: these are renewed meanwhile. */
async function everything(): Promise<string[]> {
  const { pool } = api.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'punctual' and tablename not in ('node')`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await pool.query<{ text: string }>(
      `select (to_jsonb(t) - 'last_seen_at')::text as text from ${name} t`,
    );
    rows.push(...found.rows.map(({ text }) => `${name} ${text}`));
  }
  return rows.toSorted();
}

test("with an idempotency key a change is told once, and not at all if it cannot be told", async () => {
  const { pool } = api.database;
  const body = { name: stage.name(), target: { type: "http", url: "https://target.example/" } };
  const ask = (requestId: string) => {
    const headers = { ...stage.root.headers, "idempotency-key": `once-${body.name}`, "x-request-id": requestId };
    return api.request("POST", "/jobs", { key: null, body, headers });
  };
  await pool.query("alter table punctual.audit add constraint unwritable check (request_id <> 'unwritable') not valid");
  const before = await everything();
  expect((await ask("unwritable")).status).toBe(500);
  expect(await everything()).toEqual(before);
  await pool.query("alter table punctual.audit drop constraint unwritable");
  const last = await lastLine();
  expect((await ask("first")).status).toBe(201);
  expect((await ask("second")).headers.get("idempotent-replayed")).toBe("true");
  expect((await linesAfter(last)).map((line) => line.request_id)).toEqual(["first"]);
});

test("an instance admin who names no project may use an idempotency key too", async () => {
  const { cookie } = stage.root.headers;
  const headers = { cookie: cookie!, "idempotency-key": "a-project-once" };
  const ask = (name: string) => api.request("POST", "/projects", { key: null, headers, body: { name } });
  const made = await ask("made-once");
  expect(made.status, made.text).toBe(201);
  expect((await ask("made-once")).body).toEqual(made.body);
  expect((await ask("made-twice")).status).toBe(422);
});

test("what a key triggers stands in the ledger and not in the audit; what it changes otherwise does", async () => {
  const { id } = await stage.job();
  const before = await lastLine();
  expect((await api.request("POST", `/jobs/${id}/trigger`, { body: { delay: "1h" } })).status).toBe(201);
  expect((await api.request("POST", `/jobs/${id}/pause`)).status).toBe(200);
  expect(await linesAfter(before)).toMatchObject([{ action: "job.pause", actor_kind: "key", actor_name: "tester" }]);
});

test("what changes nothing is not told", async () => {
  const { id, name } = await stage.job();
  const before = await lastLine();
  await stage.make("PATCH", `/jobs/${id}`, { name });
  await stage.make("POST", "/jobs?dryRun=true", {
    name: stage.name(),
    target: { type: "http", url: "https://a.example/" },
  });
  await stage.make("POST", "/bulk/jobs", { action: "pause", ids: [id], dryRun: true });
  await stage.make("GET", "/jobs");
  expect(await linesAfter(before)).toEqual([]);
});

test("who was refused at signing in is told, with what they called themselves", async () => {
  const before = await lastLine();
  expect((await login(api, ROOT, "a wrong password")).status).toBe(401);
  expect((await login(api, "nobody@example.com", PASSWORD)).status).toBe(401);
  expect(await linesAfter(before)).toMatchObject([
    { action: "session.refused", actor_kind: "nobody", object_id: stage.rootId, object_name: ROOT, project_id: null },
    { action: "session.refused", actor_kind: "nobody", object_id: "", object_name: "nobody@example.com" },
  ]);
});

describe("append-only", () => {
  test("whoever owns the tables changes no line, deletes none and does not empty it", async () => {
    const { pool } = api.database;
    const lines = await linesAfter("0");
    for (const attempt of [
      "update punctual.audit set actor_name = 'somebody else'",
      "update punctual.audit set action = action where false",
      "delete from punctual.audit where id = 1",
      "truncate punctual.audit",
      "truncate punctual.project cascade",
      "insert into punctual.audit (id, action, actor_kind, actor_id, actor_name) overriding system value values (1, 'x', 'key', '', '') on conflict (id) do update set action = 'y'",
    ])
      await expect(pool.query(attempt), attempt).rejects.toMatchObject({
        message: expect.stringMatching(/^the audit is append-only: (update|delete|truncate) is refused$/),
      });
    expect(await linesAfter("0")).toEqual(lines);
  });

  test("the application needs to see it and to add to it, and nothing else of it", async () => {
    const { api: guarded, asApplication } = await startGuarded();
    const other = await Stage.set(guarded);
    await other.job();
    await SCENES["PATCH /members/:id"]!(other);
    const { body } = await guarded.request("GET", "/audit", other.root);
    expect(body.items.map(({ action }: AuditEntry) => action)).toEqual(["member.add", "job.create"]);
    for (const attempt of [
      "update punctual.audit set actor_name = 'somebody else'",
      "delete from punctual.audit",
      "truncate punctual.audit",
      "alter table punctual.audit disable trigger append_only",
      "drop trigger append_only on punctual.audit",
      "drop table punctual.audit",
    ])
      await expect(asApplication(attempt), attempt).rejects.toMatchObject({ code: "42501" });
    expect((await guarded.request("GET", "/audit", other.root)).body.items).toHaveLength(2);
  });
});

/**
 * A server whose role in the database owns all tables but the audit, of which it may select and insert. Nor does it own the
 * schema: whose that is may drop whatever is in it.
 */
async function startGuarded(): Promise<{ api: ApiServer; asApplication(sql: string): Promise<unknown> }> {
  const database = await createTestDatabase();
  const id = randomBytes(5).toString("hex");
  const [application, auditor] = [`application_${id}`, `auditor_${id}`];
  await database.pool.query(`
    create role ${application} login; create role ${auditor};
    do $$ begin execute format('grant create on database %I to ${application}', current_database()); end $$;
    do $$ declare one record; begin
      for one in select c.oid::regclass as name from pg_class c where c.relnamespace = 'punctual'::regnamespace and c.relkind in ('r', 'p') loop
        execute format('alter table %s owner to ${application}', one.name);
      end loop;
      for one in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'punctual'::regnamespace loop
        execute format('alter function %s owner to ${application}', one.name);
      end loop;
    end $$;
    alter function punctual.refuse_change owner to ${auditor};
    alter table punctual.audit owner to ${auditor};
    alter schema punctual owner to ${auditor};
    grant usage, create on schema punctual to ${application};
    revoke all on punctual.audit from ${application};
    grant select, insert on punctual.audit to ${application}`);
  const url = database.url.replace(/\/\/[^@]*@/, `//${application}@`);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const store = await createTestStore({ database: { url, pool, drop: () => pool.end() } });
  const guarded = await startApi({ database: store });
  onTestFinished(async () => {
    await guarded.close();
    await database.pool.query(`drop owned by ${application}, ${auditor} cascade; drop role ${application}, ${auditor}`);
    await database.drop();
  });
  return { api: guarded, asApplication: (sql) => pool.query(sql) };
}

describe("reading", () => {
  /** Where the lines are these alone. */
  let project: string;
  const read = (query = "", options = {}) =>
    api.request("GET", `/audit${query}`, { key: KEY, headers: { "punctual-project": project }, ...options });

  beforeAll(async () => {
    const made = await stage.make("POST", "/projects", { name: "a-quiet-one" });
    project = made.id;
    await api.database.store.audit.add([
      line({ action: "job.create", object: { kind: "job", id: "1", name: "report" } }),
      line({ action: "job.edit", object: { kind: "job", id: "1", name: "report" }, actor: BEN }),
      line({ action: "api_key.create", object: { kind: "API key", id: "2", name: "ci" }, actor: BEN }),
      line({ action: "jobs.bulk", object: null }),
    ]);
  });

  const ANN = { kind: "session", id: "a", name: "ann@example.com" } as const;
  const BEN = { kind: "key", id: "b", name: "ben's key" } as const;
  function line(more: Partial<NewAuditEntry>): NewAuditEntry {
    const about = { object: null, before: null, after: null, address: "127.0.0.1", requestId: "r" };
    return { projectId: project, action: "job.create", actor: ANN, ...about, ...more };
  }

  test.each([
    ["", ["jobs.bulk", "api_key.create", "job.edit", "job.create"]],
    ["?actor=ann@example.com", ["jobs.bulk", "job.create"]],
    ["?actor=b", ["api_key.create", "job.edit"]],
    ["?actor=ann", []],
    ["?action=job.edit", ["job.edit"]],
    ["?action=job", ["job.edit", "job.create"]],
    ["?action=job.edit,api_key", ["api_key.create", "job.edit"]],
    ["?object=report", ["job.edit", "job.create"]],
    ["?object=2", ["api_key.create"]],
    ["?object=report&actor=b&action=job", ["job.edit"]],
    ["?to=2000-01-01T00:00:00Z", []],
    ["?from=2999-01-01T00:00:00Z", []],
    ["?from=2000-01-01T00:00:00Z&to=2999-01-01T00:00:00Z&action=jobs", ["jobs.bulk"]],
  ])("%s finds %j", async (query, actions) => {
    const { status, body } = await read(query);
    expect(status).toBe(200);
    expect(body.items.map(({ action }: AuditEntry) => action)).toEqual(actions);
  });

  test("a line that was written at the moment asked for is in `from` and not in `to`", async () => {
    const { items } = (await read("?action=job.edit")).body;
    const { at } = items[0];
    const next = new Date(Date.parse(at) + 1).toISOString();
    expect((await read(`?action=job.edit&from=${at}`)).body.items).toEqual(items);
    expect((await read(`?action=job.edit&to=${at}`)).body.items).toEqual([]);
    expect((await read(`?action=job.edit&from=${at}&to=${next}`)).body.items).toEqual(items);
  });

  test.each([
    "?action=Job",
    "?action=",
    "?from=yesterday",
    "?limit=0",
    "?limit=201",
    "?cursor=x",
    "?who=ann",
    "?instance=1",
  ])("%s is refused", async (query) => expect((await read(query)).status).toBe(400));

  test("other projects' lines are not shown, whatever is asked for", async () => {
    const text = async (query: string) => (await api.request("GET", `/audit${query}`, { key: STRANGER_KEY })).text;
    for (const query of ["", "?limit=200", "?actor=ann@example.com", "?object=report", "?action=job"]) {
      expect(await text(query)).not.toContain("report");
      expect(await text(query)).not.toContain(ROOT);
    }
    const cursor = (await read("?limit=1")).body.nextCursor;
    expect((await read("?limit=1")).body.items).toHaveLength(1);
    expect(await text(`?cursor=${cursor}`)).not.toContain("report");
  });

  test("what belongs to no project is for instance admins", async () => {
    const { body } = await api.request("GET", "/audit?instance=true&limit=200", stage.root);
    const actions = new Set(body.items.map(({ action }: AuditEntry) => action));
    expect(actions).toContain("session.open");
    expect(actions).not.toContain("job.create");
    await addPerson(api, "admin@example.com", { roles: { default: "admin" } });
    const admin = by(await signIn(api, "admin@example.com"), "default");
    expect((await api.request("GET", "/audit", admin)).status).toBe(200);
    expect((await api.request("GET", "/audit?instance=true", admin)).status).toBe(403);
    expect((await api.request("GET", "/audit?instance=true", { key: STRANGER_KEY })).status).toBe(403);
    const lines = { ...admin, headers: { ...admin.headers, accept: "application/x-ndjson" } };
    expect((await api.request("GET", "/audit?instance=true", lines)).status).toBe(403);
  });

  describe("thousands of lines", () => {
    const COUNT = 2_345;
    const ndjson = { headers: { "punctual-project": "a-loud-one", accept: "application/x-ndjson" } };

    beforeAll(async () => {
      const { id } = await stage.make("POST", "/projects", { name: "a-loud-one" });
      const numbered = (n: number) =>
        line({ projectId: id, action: n % 2 ? "job.edit" : "job.put", after: { n, text: "é\n".repeat(200) } });
      await api.database.store.audit.add(Array.from({ length: COUNT }, (_, n) => numbered(n)));
    });

    async function listed(query: string): Promise<AuditEntry[]> {
      const items: AuditEntry[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const place: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const { body } = await read(`?limit=200${query}${place}`, { headers: { "punctual-project": "a-loud-one" } });
        items.push(...body.items);
        cursor = body.nextCursor;
      }
      return items;
    }

    test.each([
      ["all of it", "", COUNT],
      ["what a filter leaves", "&action=job.edit", Math.floor(COUNT / 2)],
    ])("are exported as they are listed: %s", async (_, query, count) => {
      const answer = await read(`?${query.slice(1)}`, ndjson);
      expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
      expect(answer.text.endsWith("\n")).toBe(true);
      const exported = answer.text
        .trimEnd()
        .split("\n")
        .map((text) => JSON.parse(text));
      expect(exported).toHaveLength(count);
      expect(exported).toEqual(await listed(query));
    });

    test("may be left in the middle, and the server goes on", async () => {
      for (let round = 0; round < 5; round += 1) {
        const abort = new AbortController();
        const headers = { authorization: `Bearer ${KEY}`, ...ndjson.headers };
        const response = await fetch(`${api.url}/api/v1/audit`, { headers, signal: abort.signal });
        await response.body!.getReader().read();
        abort.abort();
      }
      expect((await read("?limit=1")).status).toBe(200);
    });
  });
});

test("no secret of any kind is in it", async () => {
  const before = await lastLine();
  const canary = "canary-0f5c2b";
  const [signing, secret] = [Buffer.from(canary.repeat(3)).toString("base64").slice(0, 48), "x-canary"];
  await stage.make("PUT", "/secrets/CANARY", { value: canary });
  await stage.make("POST", "/signing-keys", { name: stage.name(), secret: `whsec_${signing}` });
  const target = {
    type: "http",
    url: "https://target.example/",
    headers: { authorization: "Bearer {{secrets.CANARY}}" },
    body: { password: canary, tokens: [canary], credentials: { inner: canary }, secret: 12_345_678 },
  };
  const { id } = await stage.job({ target, payload: { apiKey: canary, deep: [{ "api-key": { of: [canary] } }] } });
  await stage.make("PATCH", `/jobs/${id}`, { priority: 1 });
  await stage.make("POST", "/targets/test", { target, payload: { token: canary } });
  await stage.make("DELETE", `/jobs/${id}`);
  const { key, id: keyId } = await stage.make("POST", "/api-keys", { name: stage.name(), scopes: ["read"] });
  const rotated = await stage.make("POST", `/api-keys/${keyId}/rotate`, {});
  const { email, link } = await stage.newcomer();
  const token = link.split("=")[1]!;
  const password = `a password with ${canary}`;
  const set = await api.request("POST", "/auth/setup", { key: null, body: { token, password } });
  const session = set.headers.get("set-cookie")!.split(/[=;]/)[1]!;
  await login(api, email, `wrong ${canary}`);
  await login(api, email, password);
  const text = JSON.stringify(await linesAfter(before));
  for (const action of [
    "secret.put",
    "signing_key.create",
    "job.edit",
    "target.test",
    "api_key.rotate",
    "account.setup",
  ])
    expect(text).toContain(`"${action}"`);
  for (const hidden of [canary, signing, secret, "12345678", key, rotated.key, token, session, "scrypt"])
    expect(text).not.toContain(hidden);
});
