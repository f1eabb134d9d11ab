// Calls are signed as Standard Webhooks describes it: HMAC-SHA256 over `id.timestamp.body`, base64, prefixed with the
// scheme's version. While a key is being replaced the call carries one signature per key, so that a receiver may
// change over at any moment; a receiver accepts the call if one of them fits.

import { createHmac, type KeyObject, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const NEW_KEY_BYTES = 32;
// The bounds of the Standard Webhooks specification.
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

/** The value of `webhook-signature`: one signature per key, in the order given, newest first by custom. */
export function sign(
  keys: readonly (KeyObject | Buffer)[],
  id: string,
  timestampSeconds: number,
  body: Buffer | string,
): string {
  const head = `${id}.${timestampSeconds}.`;
  let header = "";
  for (const key of keys) {
    const signature = createHmac("sha256", key).update(head).update(body).digest("base64");
    header += header === "" ? `v1,${signature}` : ` v1,${signature}`;
  }
  return header;
}

/** A new key in the form people copy: `whsec_` and base64. */
export function generateSigningKey(): string {
  return PREFIX + randomBytes(NEW_KEY_BYTES).toString("base64");
}

/** The bytes of `whsec_<base64>`, or what is wrong with the text (which is not repeated: it may be nearly a key). */
export function parseSigningKey(text: string): { key: Buffer } | { problem: string } {
  if (!text.startsWith(PREFIX)) return { problem: `does not begin with ${PREFIX}` };
  const encoded = text.slice(PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return { problem: `has something other than base64 after ${PREFIX}` };
  const key = Buffer.from(encoded, "base64");
  if (key.length < KEY_BYTES_MIN || key.length > KEY_BYTES_MAX)
    return { problem: `has ${key.length} bytes; Standard Webhooks asks for ${KEY_BYTES_MIN} to ${KEY_BYTES_MAX}` };
  return { key };
}
