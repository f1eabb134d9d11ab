// A database that somebody lends for a while: it must have no Punctual in it, gets one, and has none again afterwards. So
// nothing of anybody's is ever in the way or in danger, and removing what was made is one statement.

import pg from "pg";
import { migrate } from "./migrate.ts";
import { rowTypes } from "./row-types.ts";

export interface ScratchSchema {
  /** What decides how fast it is: settings of the server by name. */
  server: { version: string; fsync: string; synchronousCommit: string };
  remove(): Promise<void>;
}

/** Null if the database has a Punctual already. */
export async function makeScratchSchema(url: string): Promise<ScratchSchema | null> {
  const taken = await withClient(url, async (client) => {
    const { rows } = await client.query<{ taken: boolean }>("select to_regnamespace('punctual') is not null as taken");
    return rows[0]!.taken;
  });
  if (taken) return null;
  const remove = () => withClient(url, async (client) => void (await client.query("drop schema punctual cascade")));
  try {
    await migrate(url);
    return { server: await withClient(url, readServer), remove };
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
}

async function readServer(client: pg.Client): Promise<ScratchSchema["server"]> {
  const { rows } = await client.query<ScratchSchema["server"]>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as "synchronousCommit"`,
  );
  return rows[0]!;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, types: rowTypes, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
