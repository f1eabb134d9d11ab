// A process that uses the embedded database and does as it is told over the channel to its parent (embedded-processes.ts).
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from "../../src/store/embedded/embedded.ts";

export interface Order {
  id: number;
  op: "start" | "ensureRunning" | "stop";
  options?: Omit<EmbeddedOptions, "log">;
}

export interface Answer {
  id: number;
  error?: { code: string; message: string };
  database?: Pick<EmbeddedDatabase, "url" | "version" | "dataDir" | "adopted">;
}

let database: EmbeddedDatabase | null = null;

async function obey({ id, op, options }: Order): Promise<Answer> {
  try {
    if (op === "start") database = await startEmbedded(options!);
    else await database![op]();
    const { url, version, dataDir, adopted } = database!;
    return { id, database: { url, version, dataDir, adopted } };
  } catch (cause) {
    const { code, message } = cause as { code: string; message: string };
    return { id, error: { code, message } };
  }
}

process.on("message", async (order: Order) => process.send!(await obey(order)));
// Ctrl-C reaches the whole group; a node drains on it, and so does not end at once.
process.on("SIGINT", (signal) => process.send!({ signal }));
