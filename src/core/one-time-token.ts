import { createHash, randomBytes } from "node:crypto";

/** What a cookie or a link has: 256 random bits, of which only the hash is kept. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A plain hash is enough: nobody guesses 256 random bits. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
