// What an operator wants to know of a database before a node starts on it. Reads only.

import pg from "pg";
import { pendingMigrations } from "./migrate.ts";
import { rowTypes } from "./row-types.ts";

export interface DatabaseCheck {
  version: string;
  major: number;
  latencyMs: number;
  readOnly: boolean;
  pendingMigrations: string[];
  /** The database's clock minus this machine's. */
  clockSkewMs: number;
  pooler: "none" | "session" | "transaction";
}

export async function checkDatabase(url: string): Promise<DatabaseCheck> {
  const clients = [connect(url), connect(url)] as const;
  try {
    const [first, second] = clients;
    await first.connect();
    const facts = await readFacts(first);
    const direct = (first as unknown as { processID: number | null }).processID === facts.pid;
    if (direct) return { ...facts, pooler: "none", pendingMigrations: await pendingMigrations(url) };
    await second.connect();
    const pooler = await poolerMode(first, second, facts.pid);
    return { ...facts, pooler, pendingMigrations: await pendingMigrations(url) };
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

/** Questions asked of each client: on a busy pooler two of them may well meet the backend of the first one. */
const QUESTIONS = 50;

/** A backend is a client's own only in session mode: there its number never changes and nobody else has it. */
async function poolerMode(first: pg.Client, second: pg.Client, firstPid: number): Promise<"session" | "transaction"> {
  for (let asked = 0; asked < QUESTIONS; asked += 1) {
    const others = (await readFacts(second)).pid;
    const own = (await readFacts(first)).pid;
    if (own !== firstPid || others === firstPid) return "transaction";
  }
  return "session";
}

function connect(url: string): pg.Client {
  const client = new pg.Client({
    types: rowTypes,
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: "punctual check",
  });
  client.on("error", () => {});
  return client;
}

const FACTS = `select pg_backend_pid() as pid, current_setting('server_version') as version,
  current_setting('server_version_num')::int / 10000 as major, pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "readOnly",
  extract(epoch from clock_timestamp())::float8 * 1000 as now`;

async function readFacts(client: pg.Client) {
  const began = performance.now();
  const sentAt = Date.now();
  const { rows } = await client.query<{ pid: number; version: string; major: number; readOnly: boolean; now: number }>(
    FACTS,
  );
  const latencyMs = performance.now() - began;
  const { pid, version, major, readOnly, now } = rows[0]!;
  // The answer was made about half way between question and arrival.
  return { pid, version, major, readOnly, latencyMs, clockSkewMs: now - (sentAt + latencyMs / 2) };
}
