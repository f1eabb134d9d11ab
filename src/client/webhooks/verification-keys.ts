import { fromBase64 } from "./base64.ts";

/** Not `CryptoKey`: only browsers' types have a global of that name. */
type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** As they come from the environment, where they may be missing: that is found when the receiver starts. */
export type WrittenKeys = string | undefined | readonly (string | undefined)[];

const PREFIX = "whsec_";
/** The bounds of the Standard Webhooks specification: what is shorter was cut off somewhere on its way. */
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

/**
 * The keys that a call may be signed with: all of them, while one is being replaced by another. None at all is a mistake
 * of the receiver and throws, because a receiver that checks nothing must not look like one that does.
 */
export class VerificationKeys {
  readonly #keys: readonly Uint8Array<ArrayBuffer>[];
  #imported: Promise<readonly ImportedKey[]> | null = null;

  constructor(written: WrittenKeys) {
    const texts = typeof written === "string" ? [written] : written;
    if (!Array.isArray(texts) || texts.length === 0)
      throw new TypeError("there is no key to verify with: pass the signing key's secret, whsec_…, as keys");
    this.#keys = texts.map(keyBytes);
  }

  async imported(): Promise<readonly ImportedKey[]> {
    this.#imported ??= Promise.all(
      this.#keys.map((key) =>
        crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]),
      ),
    );
    return await this.#imported;
  }
}

/** The text is not repeated in what it throws: it may be nearly a key. */
function keyBytes(text: unknown, index: number): Uint8Array<ArrayBuffer> {
  const refuse = (problem: string) => new TypeError(`key ${index + 1} of those to verify with ${problem}`);
  if (typeof text !== "string" || text === "" || text === PREFIX) throw refuse("is empty");
  const bytes = fromBase64(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text);
  if (bytes === null) throw refuse("is no base64: copy it whole, whsec_…");
  if (bytes.length < KEY_BYTES_MIN || bytes.length > KEY_BYTES_MAX)
    throw refuse(`has ${bytes.length} bytes; Standard Webhooks asks for ${KEY_BYTES_MIN} to ${KEY_BYTES_MAX}`);
  return bytes;
}
