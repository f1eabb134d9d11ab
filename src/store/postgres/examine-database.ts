// What a doctor wants to know of a database that is in use. Reads only, and every part by itself: a right that is missing
// for one question must not keep the others from being answered.

import pg from "pg";
import { KeyRing } from "../../core/keyring.ts";
import { checkDatabase, type DatabaseCheck } from "./check-database.ts";
import type { Queryable } from "./database.ts";
import { type Connections, examineConnections } from "./examine-connections.ts";
import { type DayTable, examineDays } from "./examine-days.ts";
import { examineSealed, type SealedWith } from "./examine-sealed.ts";
import { examineSnapshots, type HeldSnapshot } from "./examine-snapshots.ts";
import { examineTables, type Sizes, type TableState } from "./examine-tables.ts";
import { examineWakeUp } from "./examine-wake-up.ts";
import { examineWork, type WorkState } from "./examine-work.ts";
import { rowTypes } from "./row-types.ts";

/** What was found, or why it could not be. */
export type Examined<T> = { value: T } | { failed: string };

export interface DatabaseExamination {
  check: DatabaseCheck;
  wakeUpMs: Examined<number | null>;
  connections: Examined<Connections>;
  snapshots: Examined<HeldSnapshot[]>;
  /** Null as long as the schema is not complete: there is nothing of ours to look at. */
  schema: {
    days: Examined<DayTable[]>;
    tables: Examined<{ tables: TableState[]; sizes: Sizes }>;
    work: Examined<WorkState>;
    /** Null if there are no keys to try. */
    sealed: Examined<SealedWith[]> | null;
  } | null;
}

export interface ExamineOptions {
  listenUrl: string | null;
  encryptionKeys: readonly Buffer[];
}

const STATEMENT_TIMEOUT_MS = 30_000;

export async function examineDatabase(url: string, options: ExamineOptions): Promise<DatabaseExamination> {
  const check = await checkDatabase(url);
  const client = new pg.Client({
    types: rowTypes,
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "punctual doctor",
  });
  client.on("error", () => {});
  await client.connect();
  try {
    const db: Pick<Queryable, "run"> = {
      run: async <Row extends object>({ text }: { text: string }, values: readonly unknown[]) =>
        (await client.query<Row>({ text, values: [...values] })).rows,
    };
    return {
      check,
      wakeUpMs: await examined(() => examineWakeUp(url, options.listenUrl ?? url)),
      connections: await examined(() => examineConnections(db)),
      snapshots: await examined(() => examineSnapshots(db)),
      schema: check.pendingMigrations.length > 0 ? null : await examineSchema(db, options),
    };
  } finally {
    await client.end();
  }
}

async function examineSchema(
  db: Pick<Queryable, "run">,
  { encryptionKeys }: ExamineOptions,
): Promise<DatabaseExamination["schema"]> {
  return {
    days: await examined(() => examineDays(db)),
    tables: await examined(() => examineTables(db)),
    work: await examined(() => examineWork(db)),
    sealed:
      encryptionKeys.length === 0 ? null : await examined(() => examineSealed(db, new KeyRing([...encryptionKeys]))),
  };
}

async function examined<T>(look: () => Promise<T>): Promise<Examined<T>> {
  try {
    return { value: await look() };
  } catch (error) {
    return { failed: (error as Error).message };
  }
}
