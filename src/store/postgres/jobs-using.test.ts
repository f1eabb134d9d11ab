import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../../../tests/support/database.ts";
import { createJob, PROJECT, specOf, useTestStore } from "../../../tests/support/store.ts";
import { secretUse, signingKeyUse } from "../../core/target-uses.ts";
import { Database } from "./database.ts";
import { jobsUsing } from "./jobs-using.ts";
import { migrate, readMigrations } from "./migrate.ts";

const t = useTestStore();

async function using(use: string) {
  const db = new Database({ url: t.url, prepared: true, connectionsMax: 1 });
  onTestFinished(() => db.close());
  return await jobsUsing(db, PROJECT, use);
}

const http = (more: object) => ({ target: { type: "http", url: "http://127.0.0.1:9/", ...more } });

test("a job uses what its target names, wherever that stands", async () => {
  const places = [
    { url: "http://127.0.0.1:9/{{secrets.TOKEN}}" },
    { headers: { "x-a": "b {{ secrets.TOKEN }}" } },
    { query: { a: "{{secrets.TOKEN}}" } },
    { body: { a: [{ b: "{{secrets.TOKEN}}" }] } },
    { bodyText: "{{secrets.TOKEN}}{{secrets.TOKEN}}" },
  ];
  const jobs = await Promise.all(places.map((place) => createJob(t.store, http(place))));
  await createJob(t.store, { target: { type: "shell", command: "/bin/true", env: { A: "{{secrets.TOKEN}}" } } });
  // Neither of these is a placeholder for it.
  await createJob(t.store, {
    ...http({ headers: { "x-a": "{{secrets.TOKEN2}} secrets.TOKEN" } }),
    payload: "{{secrets.TOKEN}}",
  });
  expect((await using(secretUse("TOKEN"))).count).toBe(6);
  await t.store.jobs.delete(PROJECT, jobs[0]!.id, { actor: "test" });
  const changed = jobs[1]!;
  const edit = (_: unknown, now: Date) => ({ ...specOf(http({}), now), name: changed.spec.name });
  await t.store.jobs.edit(PROJECT, changed.id, edit, { actor: "test" });
  expect((await using(secretUse("TOKEN"))).count).toBe(4);
});

test("jobs from before it was written down are found after the migration", async () => {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("create schema punctual");
  for (const { number, text } of await readMigrations()) if (number < 6) await client.query(text);
  await client.query(
    "create table punctual.migration (number integer primary key, name text not null, applied_at timestamptz(3) not null default now())",
  );
  await client.query("insert into punctual.migration (number, name) select n, 'before' from generate_series(1, 5) n");
  const specs = [
    http({
      url: "http://127.0.0.1:9/{{ secrets.A }}",
      headers: { "x-b": '"{{secrets.B}}"', "x-a": "{{\tsecrets.A\t}}" },
    }),
    http({ signingKey: "main" }),
    http({ body: "{{payload.secrets.A}}" }),
  ].map((written) => specOf(written, new Date()));
  await client.query(
    `with jobs as (
       insert into punctual.job (id, project_id, name, state, version, priority, lane, overlap, created_at, updated_at)
       select gen_random_uuid(), $1, 'before-' || i, 'active', 1, 50, 'h', 'skip', now(), now() from generate_series(1, 3) i returning id, name
     )
     insert into punctual.job_version (job_id, version, spec, created_at)
     select j.id, 1, ($2::json[])[right(j.name, 1)::integer], now() from jobs j`,
    [PROJECT, specs],
  );
  expect(await migrate(database.url)).toContain("0006_signing_keys");
  const { rows } = await client.query<{ uses: string[] }>("select uses from punctual.job order by name");
  expect(rows.map(({ uses }) => uses.toSorted())).toEqual([["secret A", "secret B"], [signingKeyUse("main")], []]);
});
