// Secrets are kept sealed with AES-256-GCM. Promised: a copy of the database alone gives no value away; a sealed value
// that was changed, or moved to another place (its associated data names the place), does not open; a key can be
// replaced without a moment in which something cannot be read: the new one is put first, the old one stays behind it
// until everything was sealed again. Not promised: anything against someone who has both the keys and the database.
//
// Each value gets a random nonce of 96 bits. One key may seal about 2^32 values before two nonces may be alike; far
// more than secrets, signing keys and sign-ins will ever be, so there is no counter to keep.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 1;

export interface Sealed {
  /** Which key of the ring opens it. */
  keyId: string;
  /** Format, nonce, tag and ciphertext in one piece. */
  sealed: Buffer;
}

export class KeyRing {
  readonly #keys = new Map<string, Buffer>();
  /** The key that seals, so that the caller can find what is still sealed with an older one. */
  readonly keyId: string;

  /** The first key seals; all of them open. */
  constructor(keys: readonly Buffer[]) {
    const first = keys[0];
    if (first === undefined) throw new RangeError("a key ring needs at least one key");
    for (const key of keys) {
      if (key.length !== KEY_BYTES)
        throw new RangeError(`an encryption key has ${key.length} bytes instead of ${KEY_BYTES}`);
      this.#keys.set(encryptionKeyId(key), key);
    }
    this.keyId = encryptionKeyId(first);
  }

  /** `associatedData` names the place of the value, such as project and secret; it must be the same when opened. */
  seal(plaintext: string, associatedData: string): Sealed {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys.get(this.keyId)!, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(associatedData));
    const ciphertext = [cipher.update(plaintext, "utf8"), cipher.final()];
    return { keyId: this.keyId, sealed: Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), ...ciphertext]) };
  }

  /** Throws if the key is not in the ring, or if value or place are not those that were sealed. */
  open({ keyId, sealed }: Sealed, associatedData: string): string {
    const key = this.#keys.get(keyId);
    if (key === undefined)
      throw new Error(
        `a value is sealed with the encryption key ${keyId}, which is not in PUNCTUAL_ENCRYPTION_KEYS ` +
          `(there: ${[...this.#keys.keys()].join(", ")}); put that key back, behind the first one`,
      );
    if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE_BYTES + TAG_BYTES)
      throw new Error(
        `a sealed value is damaged: it begins with ${sealed[0] ?? "nothing"} and has ${sealed.length} bytes`,
      );
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(associatedData));
    decipher.setAuthTag(tag);
    try {
      const ciphertext = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES);
      return decipher.update(ciphertext, undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw new Error(`a value sealed with the encryption key ${keyId} was changed or belongs to another place`, {
        cause,
      });
    }
  }
}

/** A short name for a key that says nothing about it. */
function encryptionKeyId(key: Buffer): string {
  return createHash("sha256").update("punctual encryption key").update(key).digest("hex").slice(0, 8);
}
