// What an operator wants to know of a database before a node starts on it. Reads only.

import pg from "pg";
import { pendingMigrations } from "./migrate.ts";

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
    // Two clients that are both connected share a backend only where it is theirs for a transaction at a time.
    await second.connect();
    const other = await readFacts(second);
    const pooler = other.pid === facts.pid ? "transaction" : "session";
    return { ...facts, pooler, pendingMigrations: await pendingMigrations(url) };
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

function connect(url: string): pg.Client {
  const client = new pg.Client({
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
