import { randomUUID } from "node:crypto";
import pg from "pg";

const WAIT_MS = 3_000;

/** How long a message takes from one connection to another, as nodes wake each other; null: it did not come. */
export async function examineWakeUp(url: string, listenUrl: string): Promise<number | null> {
  const [listener, sender] = [connect(listenUrl), connect(url)];
  const channel = `punctual_${randomUUID().replaceAll("-", "")}`;
  try {
    await Promise.all([listener.connect(), sender.connect()]);
    await listener.query(`listen ${channel}`);
    const sentAt = performance.now();
    const arrived = new Promise<number | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), WAIT_MS);
      listener.once("notification", () => {
        clearTimeout(timer);
        resolve(performance.now() - sentAt);
      });
    });
    await sender.query("select pg_notify($1, '')", [channel]);
    return await arrived;
  } finally {
    await Promise.allSettled([listener.end(), sender.end()]);
  }
}

function connect(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: "punctual doctor",
  });
  client.on("error", () => {});
  return client;
}
