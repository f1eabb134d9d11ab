// That a row belongs to the project of its job. Where a foreign key says so, the database is asked to break it; queue and
// ledger have none, for speed, so a real engine works for two projects at once, and every row that is written there is
// compared with its job.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTarget, startTestEngine, type TestEngine, type TestTarget } from "../../support/engine.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, KEY, startApi } from "./api-server.ts";

let api: ApiServer;
let target: TestTarget;
let otherProject: string;

beforeAll(async () => {
  api = await startApi();
  target = await startTarget();
  target.on("/failing", (_, response) => response.writeHead(500).end());
  // Not before the server is closed.
  target.on("/slow", () => {});
  otherProject = (await api.database.store.projects.find("other"))!.id;
});
afterAll(async () => {
  await api.close();
  await target.close();
});

async function ask(project: string, method: string, path: string, body?: object) {
  const headers = { "punctual-project": project };
  const answer = await api.request(method, path, { key: KEY, headers, ...(body === undefined ? {} : { body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

function calling(path: string): { type: string; url: string } {
  return { type: "http", url: target.url + path };
}

describe("the schema", () => {
  const refused = async (sql: string, values: unknown[]) =>
    await expect(api.database.pool.query(sql, values), sql).rejects.toMatchObject({ code: "23503" });

  test("refuses a dead letter whose job is another project's", async () => {
    const { id } = await ask("default", "POST", "/jobs", { name: "mine", target: calling("/") });
    const letter = `insert into punctual.dead_letter (execution_id, project_id, job_id, fingerprint, execution, created_at)
       values (gen_random_uuid(), $1, $2, 'f', '{}', now())`;
    await refused(letter, [otherProject, id]);
    await api.database.pool.query(letter, [PROJECT, id]);
    // Nor does the job leave it behind.
    await refused("update punctual.job set project_id = $1 where id = $2", [otherProject, id]);
    await refused("update punctual.dead_letter set project_id = $1 where job_id = $2", [otherProject, id]);
    await api.database.pool.query("delete from punctual.dead_letter where job_id = $1", [id]);
  });

  test("refuses a key whose successor is another project's", async () => {
    const make = (project: string) => ask(project, "POST", "/api-keys", { name: "k", scopes: ["read"] });
    const [mine, second, theirs] = [await make("default"), await make("default"), await make("other")];
    const replace = "update punctual.api_key set replaced_by = $2, expires_at = now() where id = $1";
    await refused(replace, [mine.id, theirs.id]);
    await api.database.pool.query(replace, [mine.id, second.id]);
    await refused("update punctual.api_key set project_id = $2 where id = $1", [mine.id, otherProject]);
  });

  test.each([
    [
      "job",
      "(id, project_id, name, state, version, priority, lane, overlap, created_at, updated_at) values (gen_random_uuid(), $1, 'n', 'active', 1, 1, 'l', 'skip', now(), now())",
    ],
    [
      "secret",
      "(project_id, name, version, key_id, sealed, created_at, updated_at) values ($1, 'n', 1, 'k', '', now(), now())",
    ],
    [
      "signing_key",
      "(id, project_id, name, key_id, sealed, created_at) values (gen_random_uuid(), $1, 'n', 'k', '', now())",
    ],
    ["audit", "(project_id, action, actor_kind, actor_id, actor_name) values ($1, 'a', 'key', '', '')"],
    ["member", "(project_id, account_id, role, created_at) select $1, a.id, 'viewer', now() from punctual.account a"],
  ])("refuses a %s of a project that is not there", async (table, rest) => {
    await api.database.store.accounts.ensure({ email: "a@example.com", name: "", instanceAdmin: false, createdBy: "" });
    await refused(`insert into punctual.${table} ${rest}`, ["00000000-0000-7000-8000-00000000dead"]);
  });

  test("leaves it to the statements in these tables only", async () => {
    const { rows } = await api.database.pool.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
       where c.relnamespace = 'punctual'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not exists (
         select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any(f.conkey))
       order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(["execution", "idempotency_key", "minute_count", "queue"]);
  });
});

describe("the queue and the ledger", () => {
  let engine: TestEngine;

  beforeAll(async () => {
    await watch();
    engine = await startTestEngine(api.database);
  });
  afterAll(async () => await engine.stop());

  /** Writes down every row that is not its job's project's. */
  async function watch(): Promise<void> {
    await api.database.pool.query(`
      create table public.stray (place text, id uuid);
      create function public.compare() returns trigger language plpgsql as $$ begin
        if not exists (select from punctual.job j where j.id = new.job_id and j.project_id = new.project_id) then
          insert into public.stray values (tg_table_name, new.id);
        end if;
        return new;
      end $$;
      create trigger compare before insert or update on punctual.queue for each row execute function public.compare();
      create trigger compare before insert or update on punctual.execution for each row execute function public.compare()`);
  }

  async function strays(): Promise<unknown[]> {
    return (await api.database.pool.query("select * from public.stray")).rows;
  }

  /** What can become of an execution, in one project; the same at the same time in the other. */
  async function live(project: string): Promise<void> {
    const job = (name: string, more: object) =>
      ask(project, "POST", "/jobs", { name, target: calling("/"), retry: { maxAttempts: 1 }, ...more });
    const soon = new Date(Date.now() + 1_000).toISOString();
    await job("once", { schedule: { at: soon } });
    await job("often", { schedule: { every: "1s", maxRuns: 2 } });
    await job("slow", { schedule: { every: "1s" }, target: calling("/slow"), overlap: "skip" });
    await missed(await job("resting", { schedule: { cron: "* * * * *" }, paused: true }));
    await ask(project, "POST", "/jobs/resting/resume");
    await missed(await job("late", { schedule: { cron: "* * * * *" }, misfire: { policy: "skip" } }));
    await job("failing", { target: calling("/failing") });
    await job("gone", {});
    const { id } = await ask(project, "POST", "/jobs/failing/trigger", {});
    await ask(project, "POST", "/triggers", { items: [{ job: "failing" }, { job: "gone", delay: "1h" }] });
    const { id: cancelled } = await ask(project, "POST", "/jobs/gone/trigger", { delay: "1h" });
    await ask(project, "POST", `/executions/${cancelled}/cancel`);
    await ask(project, "DELETE", "/jobs/gone");
    await vi.waitUntil(async () => (await ask(project, "GET", "/dead-letters")).items.length === 2, PATIENCE);
    await ask(project, "POST", `/executions/${id}/retry`, {});
    await ask(project, "POST", "/dead-letters/retry", { filter: {} });
  }

  /** As if nobody had planned for an hour. */
  async function missed({ id }: { id: string }): Promise<void> {
    const back = `update punctual.cursor set next_fire_at = next_fire_at - interval '1 hour', planned_until = planned_until - interval '1 hour'
      where job_id = $1`;
    await api.database.pool.query(back, [id]);
  }

  const PATIENCE = { timeout: 20_000, interval: 50 };
  const KINDS = `select distinct e.trigger || ' ' || e.state || coalesce(' ' || e.reason_code, '') as kind
    from punctual.execution e where e.project_id = $1`;

  test("have the project of the job in every row that an engine for two projects writes", async () => {
    await Promise.all([live("default"), live("other")]);
    const wanted = [
      "schedule succeeded",
      "schedule skipped paused",
      "schedule skipped misfire",
      "schedule skipped overlap",
      "manual failed attempts_exhausted",
      "manual cancelled cancelled",
      "manual cancelled job_deleted",
      "retry failed attempts_exhausted",
    ];
    for (const project of [PROJECT, otherProject]) {
      const kinds = async () =>
        (await api.database.pool.query<{ kind: string }>(KINDS, [project])).rows.map(({ kind }) => kind);
      await vi.waitFor(async () => expect(await kinds()).toEqual(expect.arrayContaining(wanted)), PATIENCE);
    }
    expect(await strays()).toEqual([]);
  });

  test("are watched by a test that would see one that has not", async () => {
    await ask("default", "POST", "/jobs", { name: "strayed", target: calling("/") });
    const { id } = await ask("default", "POST", "/jobs/strayed/trigger", { delay: "1h" });
    const stray = await api.database.pool.connect();
    try {
      await stray.query("begin");
      await stray.query("update punctual.queue set project_id = $1 where id = $2", [otherProject, id]);
      expect((await stray.query("select place, id from public.stray")).rows).toEqual([{ place: "queue", id }]);
    } finally {
      await stray.query("rollback");
      stray.release();
    }
  });
});
