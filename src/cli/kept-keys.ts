// The two keys `dev` makes for itself, each once, in a file only its owner may read. They are the same after every
// restart: a script keeps working, and the secrets in the database stay readable.

import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeApiKey, parseApiKey } from "../core/api-key.ts";
import { ExpectedError } from "./expected-error.ts";

export interface KeptKeys {
  apiKey: string;
  apiKeyFile: string;
  encryptionKey: Buffer;
}

export function keepKeys(dataDir: string): KeptKeys {
  makeFolder(dataDir);
  const apiKeyFile = join(dataDir, "api-key");
  const apiKey = keep(apiKeyFile, makeApiKey, (text) => parseApiKey(text) !== null);
  const encryptionKey = keep(
    join(dataDir, "encryption-key"),
    () => randomBytes(32).toString("base64"),
    (text) => Buffer.from(text, "base64").length === 32,
  );
  return { apiKey, apiKeyFile, encryptionKey: Buffer.from(encryptionKey, "base64") };
}

function keep(path: string, make: () => string, isRight: (text: string) => boolean): string {
  const kept = readKept(path) ?? writeOnce(path, make());
  if (isRight(kept)) return kept;
  throw new ExpectedError(
    `The file ${path} does not hold the key that was put there. Restore it, or remove it for a new one.`,
  );
}

function readKept(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Of two processes that make it at once, one wins and both get its key: a link is made only where nothing is. */
function writeOnce(path: string, text: string): string {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKept(path)!;
}

/** Only the folder itself is private: those above it may have to be passed by others. */
function makeFolder(dataDir: string): void {
  mkdirSync(dirname(dataDir), { recursive: true });
  try {
    mkdirSync(dataDir, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
