// Numbered plain SQL, each in a transaction of its own, written down in punctual.migration. Nodes that start at the same
// time meet at the lock of that table; the lock is the transaction's, so a node that dies while migrating holds nothing.

import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { rowTypes } from "./row-types.ts";

const FOLDER = new URL("./migrations/", import.meta.url);

export interface Migration {
  number: number;
  name: string;
  text: string;
}

export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}_.+\.sql$/.test(file)).sort();
  return await Promise.all(
    files.map(async (file) => ({
      number: Number(file.slice(0, 4)),
      name: file.replace(/\.sql$/, ""),
      text: await readFile(new URL(file, FOLDER), "utf8"),
    })),
  );
}

/** Applies what is missing and names it. */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await readMigrations();
  const client = new pg.Client({ connectionString: url, types: rowTypes, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    await createMigrationTable(client);
    const applied: string[] = [];
    for (const migration of migrations) if (await apply(client, migration)) applied.push(migration.name);
    return applied;
  } finally {
    await client.end();
  }
}

/** Names of the migrations that this build has and the database has not. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, types: rowTypes, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    const known = await client.query<{ exists: boolean }>(
      "select to_regclass('punctual.migration') is not null as exists",
    );
    const done = known.rows[0]?.exists
      ? (await client.query<{ number: number }>("select number from punctual.migration")).rows.map((row) => row.number)
      : [];
    return (await readMigrations())
      .filter((migration) => !done.includes(migration.number))
      .map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

async function createMigrationTable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('punctual.migration') is not null as exists",
  );
  if (rows[0]?.exists) return;
  try {
    await client.query("create schema if not exists punctual");
    await client.query(
      "create table if not exists punctual.migration (number integer primary key, name text not null, applied_at timestamptz(3) not null default now())",
    );
  } catch (error) {
    // Two nodes creating it at once: "if not exists" is not atomic, and the loser only has to look again.
    if (!["23505", "42P06", "42P07"].includes((error as { code?: string }).code ?? "")) throw error;
    await createMigrationTable(client);
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  await client.query("begin");
  try {
    await client.query("set local lock_timeout = '60s'");
    await client.query("lock table punctual.migration in share row exclusive mode");
    const { rowCount } = await client.query("select from punctual.migration where number = $1", [migration.number]);
    if (rowCount === 0) {
      await client.query(migration.text);
      await client.query("insert into punctual.migration (number, name) values ($1, $2)", [
        migration.number,
        migration.name,
      ]);
    }
    await client.query("commit");
    return rowCount === 0;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw new Error(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}
