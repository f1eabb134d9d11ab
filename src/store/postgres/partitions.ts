// Day partitions of the ledger and of the execution logs. Made ahead as tables of their own and then attached, dropped after being detached
// concurrently: `create … partition of` and a plain drop would block every insert while a reader is open. There is no default
// partition, because attaching would have to scan it: a day that is missing is made when the database says so (23514).

import pg from "pg";
import { idFloor, idTime } from "../../core/ids.ts";
import { errorCode, type Queryable, statement } from "./database.ts";
import { rowTypes } from "./row-types.ts";

const DAY_MS = 86_400_000;
const LOCK_TIMEOUT = "5s";
/** Days made for one refused write: the ledger's reach back, with room. */
const DAYS_PER_REPAIR_MAX = 60;
const REPAIRS_MAX = 100;

/** The tables that are kept by days: rows go by the time in the id of their execution. */
const TABLES = ["execution", "execution_log"] as const;
type Table = (typeof TABLES)[number];

interface Partition {
  table: Table;
  day: number;
}

export const listPartitionsSql = statement(
  "list_partitions",
  `select c.relname as name, i.inhdetachpending as pending from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent in ('punctual.execution'::regclass, 'punctual.execution_log'::regclass) order by c.relname`,
);

/** Leftovers of an interrupted drop: detached, but still there. */
export const listDetachedSql = statement(
  "list_detached_partitions",
  `select c.relname as name from pg_class c
   where c.relnamespace = 'punctual'::regnamespace and c.relkind = 'r' and c.relname ~ '^execution(_log)?_\\d{8}$'
     and not exists (select from pg_inherits i where i.inhrelid = c.oid)`,
);

/** Makes the missing days from one moment to another, both included, and names what was made. */
export async function ensurePartitions(
  db: Queryable,
  url: string,
  fromMs: number,
  toMs: number,
  tables: readonly Table[] = TABLES,
): Promise<string[]> {
  const present = new Set((await db.run<{ name: string }>(listPartitionsSql, [])).map(({ name }) => name));
  const wanted: Partition[] = [];
  for (let day = startOfDay(fromMs); day <= toMs; day += DAY_MS)
    for (const table of tables) wanted.push({ table, day });
  const missing = wanted.filter((partition) => !present.has(nameOf(partition)));
  if (missing.length === 0) return [];
  return await onConnectionOfItsOwn(url, async (client) => {
    const made: string[] = [];
    for (const partition of missing) if (await createPartition(client, partition)) made.push(nameOf(partition));
    return made;
  });
}

/** Drops the days that ended before the moment and names them. */
export async function dropPartitionsBefore(db: Queryable, url: string, beforeMs: number): Promise<string[]> {
  const isOld = ({ name }: { name: string }) => partitionCalled(name).day + DAY_MS <= beforeMs;
  const old = (await db.run<{ name: string; pending: boolean }>(listPartitionsSql, [])).filter(isOld);
  const detached = (await db.run<{ name: string }>(listDetachedSql, [])).filter(isOld);
  if (old.length === 0 && detached.length === 0) return [];
  return await onConnectionOfItsOwn(url, async (client) => {
    // Not in a transaction: it commits half-way, so that nobody waits while it waits for the readers.
    for (const { name, pending } of old)
      await unlessGone(
        client.query(
          `alter table punctual.${partitionCalled(name).table} detach partition punctual.${name} ${pending ? "finalize" : "concurrently"}`,
        ),
      );
    for (const { name } of [...detached, ...old])
      await unlessGone(inTransaction(client, `drop table if exists punctual.${name}`));
    return old.map(({ name }) => name);
  });
}

/** Another node was quicker: the table is gone (42P01), detached (42809), or being detached at this moment (55000). */
async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!["42P01", "42809", "55000"].includes(errorCode(error) ?? "")) throw error;
  }
}

/** Runs work that writes to the ledger or the logs; when it meets a missing day, the day is made and the work done again. */
export async function withPartitions<T>(db: Queryable, url: string, work: () => Promise<T>): Promise<T> {
  for (let repairs = 0; ; repairs += 1) {
    try {
      return await work();
    } catch (error) {
      const missing = missingPartition(error);
      if (missing === null || repairs >= REPAIRS_MAX) throw error;
      await ensurePartitions(db, url, missing.day, await lastToRepair(db, missing), [missing.table]);
    }
  }
}

/**
 * A missing day of the ledger's past is the first of a stretch, probably, up to the days that are there; one of the future
 * stands alone. Of the logs only the one day is meant: nobody writes a stretch of them at once.
 */
async function lastToRepair(db: Queryable, { table, day }: Partition): Promise<number> {
  if (table !== "execution") return day;
  const present = (await db.run<{ name: string }>(listPartitionsSql, [])).map(({ name }) => partitionCalled(name));
  const later = present.filter((other) => other.table === table && other.day > day).map((other) => other.day);
  return later.length === 0 ? day : Math.min(Math.min(...later) - DAY_MS, day + DAYS_PER_REPAIR_MAX * DAY_MS);
}

/** What the database missed when it refused a row, if that is why it did. */
function missingPartition(error: unknown): Partition | null {
  if (errorCode(error) !== "23514" || !(error instanceof Error)) return null;
  const table = /^no partition of relation "(execution|execution_log)" found/.exec(error.message)?.[1] as Table;
  const id = /\((?:execution_)?id\) = \(([0-9a-f-]{36})\)/.exec((error as { detail?: string }).detail ?? "")?.[1];
  return table === undefined || id === undefined ? null : { table, day: startOfDay(idTime(id)) };
}

async function createPartition(client: pg.Client, partition: Partition): Promise<boolean> {
  const { table, day } = partition;
  const name = nameOf(partition);
  try {
    await inTransaction(
      client,
      // One node at a time, or two that make the same day may deadlock. Inserts do not wait for this lock.
      `lock table punctual.${table} in share update exclusive mode`,
      `create table if not exists punctual.${name} (like punctual.${table} including all)`,
      `alter table punctual.${table} attach partition punctual.${name}
         for values from ('${idFloor(day)}') to ('${idFloor(day + DAY_MS)}')`,
    );
    return true;
  } catch (error) {
    // Another node was quicker: the name exists (23505, 42P07, 42710) or is attached already (42809, 42P17).
    if (["23505", "42P07", "42710", "42809", "42P17"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

async function onConnectionOfItsOwn<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    types: rowTypes,
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: "punctual partitions",
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The lock timeout is the transaction's own: behind a pooler the session is somebody else's a moment later. */
async function inTransaction(client: pg.Client, ...statements: string[]): Promise<void> {
  try {
    for (const text of ["begin", `set local lock_timeout = '${LOCK_TIMEOUT}'`, ...statements, "commit"])
      await client.query(text);
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

function nameOf({ table, day }: Partition): string {
  return `${table}_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

function partitionCalled(name: string): Partition {
  const [, table, year, month, day] = /^(\w+)_(\d{4})(\d\d)(\d\d)$/.exec(name)!;
  return { table: table as Table, day: Date.parse(`${year}-${month}-${day}T00:00:00Z`) };
}
