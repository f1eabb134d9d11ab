// `punctual dev`: everything on one machine, with nothing to set up. The terminal gets a few lines for a person; the log
// goes to a file in the data folder.

import { join, resolve } from "node:path";
import type { SettingProblem } from "../contract/read-settings.ts";
import { withoutPassword } from "../contract/setting-values.ts";
import type { Settings } from "../contract/settings.ts";
import { createLog, type Log, resolveDataDir, startEmbedded, startNode } from "../main.ts";
import { banner } from "./banner.ts";
import { contextsFile, saveContext } from "./contexts.ts";
import { type KeptKeys, keepKeys } from "./kept-keys.ts";
import { LogFile } from "./log-file.ts";
import { logCrashes, type Running, runUntilSignal } from "./running.ts";
import { packageVersion } from "./version.ts";

interface DevNode extends Running {
  url: string;
  link: string | null;
  keys: KeptKeys;
  database: string;
}

export async function dev(settings: Settings, warnings: readonly SettingProblem[]): Promise<number> {
  const { dataDir, note } = dataDirOf(settings);
  const logFile = new LogFile(join(dataDir, "punctual.log"));
  const log = createLog({ level: settings.logLevel, stream: logFile });
  logCrashes(log);
  const start = async () => {
    const node = await startDev(settings, log, dataDir);
    const notes = [
      ...(note === null ? [] : [`the data is in ${dataDir}, because ${note}`]),
      ...warnings.map(({ setting, message }) => `${setting} ${message}`),
      ...rememberContext(node),
    ];
    const { apiKey, apiKeyFile } = node.keys;
    const { url, link, database } = node;
    const facts = { version: packageVersion(), url, link, apiKey, apiKeyFile, database, logFile: logFile.path, notes };
    process.stdout.write(banner(facts));
    return node;
  };
  const ended = await runUntilSignal(start, (signal) => {
    log.info("node.stopping", { signal });
    process.stdout.write("\nStopping: what runs may finish. Ctrl-C again ends it at once.\n");
  });
  process.stdout.write(ended === "stopped" ? "Stopped.\n" : "It did not stop in time and was ended.\n");
  return ended === "stopped" ? 0 : 1;
}

function dataDirOf(settings: Settings): { dataDir: string; note: string | null } {
  // Only the embedded database cares who may enter the folder.
  if (settings.databaseUrl !== null) return { dataDir: resolve(settings.dataDir ?? ".punctual"), note: null };
  return resolveDataDir(settings.dataDir === null ? {} : { configured: settings.dataDir });
}

async function startDev(settings: Settings, log: Log, dataDir: string): Promise<DevNode> {
  const embedded =
    settings.databaseUrl === null
      ? await startEmbedded({ dataDir, log: (event, fields) => log.info(event, fields) })
      : null;
  try {
    const keys = keepKeys(dataDir);
    const node = await startNode(withKeptKey(settings, keys), {
      log,
      databaseUrl: embedded?.url ?? settings.databaseUrl!,
      ...(embedded === null ? {} : { embedded }),
      dev: true,
      apiKey: keys.apiKey,
    });
    const stop = async () => {
      await node.stop();
      await embedded?.stop();
    };
    const database =
      embedded === null ? withoutPassword(settings.databaseUrl!) : `PostgreSQL ${embedded.version} in ${dataDir}`;
    return { url: node.url, link: node.link, keys, database, stop };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** The kept key stays in the ring beside keys that were set, so that what it sealed stays readable. */
function withKeptKey(settings: Settings, { encryptionKey }: KeptKeys): Settings {
  const others = settings.encryptionKeys.filter((key) => !key.equals(encryptionKey));
  return Object.freeze({ ...settings, encryptionKeys: Object.freeze([...others, encryptionKey]) });
}

/** The context is a convenience: a home that cannot be written to costs a note, not the start. */
function rememberContext({ url, keys }: DevNode): string[] {
  try {
    saveContext("local", { url, apiKey: keys.apiKey });
    return [];
  } catch (error) {
    return [`the CLI context "local" was not saved in ${contextsFile()}: ${(error as Error).message}`];
  }
}
