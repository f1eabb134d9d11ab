import { readdirSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  createTestDatabase,
  hasPostgres15,
  startTestCluster,
  type TestDatabase,
} from "../../../tests/support/database.ts";
import { claim, createJob, createTestStore, PROJECT, succeeded } from "../../../tests/support/store.ts";
import type { Statement } from "./database.ts";
import { migrate } from "./migrate.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => await database.drop());

async function allStatements(): Promise<[string, Statement][]> {
  const files = readdirSync(new URL(".", import.meta.url)).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const found: [string, Statement][] = [];
  for (const file of files) {
    const module = (await import(new URL(file, import.meta.url).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module)) found.push(...statementsIn(`${file} ${name}`, value));
  }
  return found;
}

function statementsIn(place: string, value: unknown): [string, Statement][] {
  if (typeof value !== "object" || value === null) return [];
  if ("text" in value && "name" in value && typeof value.text === "string") return [[place, value as Statement]];
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([key, inner]) => statementsIn(`${place}.${key}`, inner));
}

test("every statement can be prepared on a migrated database", async () => {
  const statements = await allStatements();
  expect(statements.length).toBeGreaterThan(50);
  expect(await refused(database.pool, statements)).toEqual([]);
});

interface Node {
  "Relation Name"?: string;
  "Index Cond"?: string;
  Plans?: Node[];
}

/** Conditions under which a plan goes to the table. */
function waysTo(table: string, node: Node): (string | undefined)[] {
  const inner = (node.Plans ?? []).flatMap((plan) => waysTo(table, plan));
  const isScan = node["Relation Name"] === table && !("Operation" in node);
  return isScan ? [node["Index Cond"], ...inner] : inner;
}

test("attempts are looked for by their execution, also by a plan that was made when there were none", async () => {
  const client = await database.pool.connect();
  const others: Record<string, (string | undefined)[]> = {};
  try {
    await client.query("vacuum analyze punctual.attempt");
    await client.query("set jit = off; set enable_seqscan = off; set plan_cache_mode = force_generic_plan");
    const statements = (await allStatements()).filter(([, { text }]) => text.includes("punctual.attempt "));
    expect(statements.length).toBeGreaterThan(5);
    for (const [place, { text }] of statements) {
      await client.query(`prepare looked_at as ${text}`);
      const { rows } = await client.query(
        "select cardinality(parameter_types) as n from pg_prepared_statements where name = 'looked_at'",
      );
      const values = rows[0].n === 0 ? "" : `(${Array(rows[0].n).fill("null").join(", ")})`;
      const explained = await client.query(`explain (format json) execute looked_at${values}`);
      const ways = waysTo("attempt", explained.rows[0]["QUERY PLAN"][0].Plan);
      const odd = ways.filter((way) => !way?.includes("execution_id ="));
      if (odd.length > 0) others[place] = odd;
      await client.query("deallocate looked_at");
    }
  } finally {
    await client.query("discard all");
    client.release();
  }
  expect(others).toEqual({});
});

async function refused(pool: pg.Pool, statements: [string, Statement][]): Promise<string[]> {
  const client = await pool.connect();
  const problems: string[] = [];
  try {
    for (const [place, { name, text }] of statements) {
      if (/^analyze/.test(text)) continue;
      await client.query(`prepare "${name}" as ${text}`).catch((error) => problems.push(`${place}: ${error.message}`));
    }
  } finally {
    client.release();
  }
  return problems;
}

// On a machine without it the other tests still say much; the machine that decides must have it.
test.skipIf(!hasPostgres15() && !process.env.CI)(
  "PostgreSQL 15 takes every statement and carries a fire from plan to ledger",
  async () => {
    const cluster = await startTestCluster({ major: 15 });
    onTestFinished(() => cluster.remove());
    expect(cluster.version).toMatch(/^15/);
    await migrate(cluster.url);
    const pool = new pg.Pool({ connectionString: cluster.url });
    pool.on("error", () => {});
    const t = await createTestStore({ database: { url: cluster.url, pool, drop: () => pool.end() } });
    try {
      expect(await refused(pool, await allStatements())).toEqual([]);
      const job = await createJob(t.store, { schedule: { at: new Date(Date.now() - 1_000).toISOString() } });
      const { claimed } = await claim(t.store, t.nodeId);
      expect(claimed.map(({ jobId }) => jobId)).toEqual([job.id]);
      await t.store.queue.settleFinal(claimed.map(succeeded));
      expect(await t.store.executions.find(PROJECT, claimed[0]!.id)).toMatchObject({ state: "succeeded" });
      expect(await t.store.jobs.find(PROJECT, job.id)).toMatchObject({ state: "completed" });
    } finally {
      await t.close();
    }
  },
);

test("no two statements share a name", async () => {
  const names = (await allStatements()).map(([, { name }]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("no statement selects or returns all columns, which would break while a column is being added", async () => {
  const wide = (await allStatements()).filter(([, { text }]) =>
    /returning \*|select \*\s+from punctual|[a-z]\.\* from punctual/i.test(text),
  );
  expect(wide.map(([place]) => place)).toEqual([]);
});
