// The two keys `dev` makes for itself, each once, in a file only its owner may read. They are the same after every
// restart: a script keeps working, and the secrets in the database stay readable.

import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeApiKey, parseApiKey } from "../core/api-key.ts";
import { ExpectedError } from "./expected-error.ts";

const ENCRYPTION_KEY = "encryption-key";

export interface KeptKeys {
  apiKey: string;
  apiKeyFile: string;
  encryptionKey: Buffer;
}

export function keepKeys(dataDir: string): KeptKeys {
  makeFolder(dataDir);
  const apiKeyFile = join(dataDir, "api-key");
  const apiKey = keep(apiKeyFile, makeApiKey, (text) => parseApiKey(text) !== null);
  const makeEncryptionKey = () => randomBytes(32).toString("base64");
  const encryptionKey = keep(join(dataDir, ENCRYPTION_KEY), makeEncryptionKey, isEncryptionKey);
  return { apiKey, apiKeyFile, encryptionKey: Buffer.from(encryptionKey, "base64") };
}

/** The key of a folder where `dev` ran, or null; makes nothing. */
export function keptEncryptionKey(dataDir: string): Buffer | null {
  const path = join(dataDir, ENCRYPTION_KEY);
  const kept = readKept(path);
  return kept === null ? null : Buffer.from(checked(kept, path, isEncryptionKey), "base64");
}

function keep(path: string, make: () => string, isRight: (text: string) => boolean): string {
  return checked(readKept(path) ?? writeOnce(path, make()), path, isRight);
}

function isEncryptionKey(text: string): boolean {
  return Buffer.from(text, "base64").length === 32;
}

function checked(kept: string, path: string, isRight: (text: string) => boolean): string {
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
