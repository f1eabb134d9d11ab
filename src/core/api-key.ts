// API keys: `punctual_<id>_<secret><checksum>`. The prefix lets scanners of repositories and logs recognise one; the id may be
// shown and is what a key is looked up by; the secret has 256 bits and is kept only as a hash; the checksum tells a
// mistyped or cut-off key from a revoked one without asking anybody. It is no protection: everybody can compute it.
//
// A plain hash is enough. Slow hashes make up for passwords that can be guessed; nobody guesses 256 random bits.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_CHARACTERS = 12;
/** 256 bits in base 62. */
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const SHAPE = /^punctual_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export interface ApiKeyParts {
  id: string;
  secret: string;
}

/** A new key, as it is shown once. */
export function makeApiKey(): string {
  return formatApiKey({ id: randomText(ID_CHARACTERS), secret: randomText(SECRET_CHARACTERS) });
}

export function formatApiKey({ id, secret }: ApiKeyParts): string {
  const body = `punctual_${id}_${secret}`;
  return body + checksum(body);
}

/** Null if it is no key, or one that was mistyped. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const [, id, secret, sum] = SHAPE.exec(text) ?? [];
  if (id === undefined || secret === undefined) return null;
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === sum ? { id, secret } : null;
}

export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** In constant time, so that the time taken says nothing about how much of a guess was right. */
export function matchesHash(secret: string, hash: Buffer): boolean {
  const guess = hashSecret(secret);
  return guess.length === hash.length && timingSafeEqual(guess, hash);
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
