import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabase, makeScratchSchema, type ScratchSchema, startEmbedded } from "../../main.ts";
import { ExpectedError } from "../expected-error.ts";

export interface BenchDatabase {
  url: string;
  server: ScratchSchema["server"] & { embedded: boolean };
  /** All that was made, as if it had never been. */
  remove(): Promise<void>;
}

const LEAST_MAJOR = 15;

export async function openBenchDatabase(url: string | undefined): Promise<BenchDatabase> {
  return url === undefined ? await startOwn() : await borrow(url);
}

async function startOwn(): Promise<BenchDatabase> {
  const folder = join(tmpdir(), `punctual-bench-${randomBytes(6).toString("hex")}`);
  const forget = () => rm(folder, { recursive: true, force: true });
  try {
    const embedded = await startEmbedded({ dataDir: folder });
    const remove = async () => {
      await embedded.stop();
      await forget();
    };
    try {
      const schema = await makeScratchSchema(embedded.url);
      return { url: embedded.url, server: { ...schema!.server, embedded: true }, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  } catch (error) {
    await forget();
    throw error;
  }
}

async function borrow(url: string): Promise<BenchDatabase> {
  const { major, version, readOnly, pooler } = await checkDatabase(url);
  if (major < LEAST_MAJOR) throw new ExpectedError(`The database is PostgreSQL ${version}; it must be 15 or newer.`);
  if (readOnly) throw new ExpectedError("The database can only be read (a standby?). Name the primary.");
  if (pooler === "transaction")
    throw new ExpectedError("The URL leads through a pooler in transaction mode. Name the server itself.");
  const schema = await makeScratchSchema(url);
  if (schema === null)
    throw new ExpectedError(
      'The database has a schema "punctual" already, which a benchmark must not touch. Name an empty database: ' +
        "createdb punctual_bench. If it was left behind by a benchmark that was killed: drop schema punctual cascade",
    );
  return { url, server: { ...schema.server, embedded: false }, remove: schema.remove };
}
