// The two keys `dev` makes for itself, each once, in a file only its owner may read. They are the same after every
// restart: a script keeps working, and the secrets in the database stay readable.

import { createHash, randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ExpectedError } from "./expected-error.ts";

export interface KeptKeys {
  apiKey: string;
  apiKeyFile: string;
  encryptionKey: Buffer;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_CHARACTERS = 12;
/** 256 bits in base 62. */
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;

export function keepKeys(dataDir: string): KeptKeys {
  makeFolder(dataDir);
  const apiKeyFile = join(dataDir, "api-key");
  const apiKey = keep(apiKeyFile, makeApiKey, isApiKey);
  const encryptionKey = keep(
    join(dataDir, "encryption-key"),
    () => randomBytes(32).toString("base64"),
    (text) => Buffer.from(text, "base64").length === 32,
  );
  return { apiKey, apiKeyFile, encryptionKey: Buffer.from(encryptionKey, "base64") };
}

/** `punctual_<id>_<secret and checksum>`; the checksum tells a mistyped key from a revoked one without asking anybody. */
export function makeApiKey(): string {
  const body = `punctual_${randomText(ID_CHARACTERS)}_${randomText(SECRET_CHARACTERS)}`;
  return body + checksum(body);
}

export function isApiKey(text: string): boolean {
  if (!/^punctual_[0-9A-Za-z]+_[0-9A-Za-z]{20,}$/.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
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

/** Even over the alphabet: bytes beyond its largest multiple are thrown away. */
function randomText(length: number): string {
  let text = "";
  while (text.length < length)
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
  return text;
}

function checksum(body: string): string {
  let rest = createHash("sha256").update(body).digest().readUInt32BE(0);
  let text = "";
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
