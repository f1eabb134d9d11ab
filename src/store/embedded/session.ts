// A real session with the server: the only proof that it serves. Its database is made here on first need, so that a crash
// between making the cluster and making the database leaves nothing to repair.
import pg from "pg";

export type Greeting = { kind: "serving"; version: string | null } | { kind: "not_yet" };

export async function greetServer(urlOf: (database: string) => string): Promise<Greeting> {
  try {
    return { kind: "serving", version: await askVersion(urlOf("punctual")) };
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? "";
    // 3D000: there is no such database yet. 53300: all connections are taken, so it is very much alive.
    if (code === "53300") return { kind: "serving", version: null };
    if (code === "3D000") await createDatabase(urlOf("postgres"));
    else if (!isPassing(code)) throw cause;
    return { kind: "not_yet" };
  }
}

// 57P01 to 57P03 say that it shuts down, starts or recovers. What has no digit is no SQLSTATE but an error of the socket
// or a time-out, which pass as well, unless it is the door that is shut.
function isPassing(code: string): boolean {
  return code.startsWith("57P") || (!/\d/.test(code) && code !== "EACCES");
}

async function askVersion(url: string): Promise<string> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    return rows[0]!.server_version;
  });
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query("create database punctual").catch((cause) => {
      // Another process was faster: 42P04 when it is done, 23505 while it is at it.
      if (cause.code !== "42P04" && cause.code !== "23505") throw cause;
    });
  });
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}
