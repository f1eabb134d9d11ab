// Passwords are kept as what scrypt makes of them, with a salt of their own and the cost they were made with, so that the cost
// can be raised later. One comparison takes about 64 MiB for a fifth of a second: dear for whoever guesses, and for us, so
// only a few run at a time, and those who would wait behind many are turned away.

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

interface Cost {
  /** Logarithm of the number of rounds. */
  ln: number;
  r: number;
  p: number;
}

/** What OWASP recommends, in the form with less memory. */
const COST: Cost = { ln: 16, r: 8, p: 2 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const AT_ONCE = 2;
const WAITING_MAX = 50;

const SHAPE = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** More want to compare passwords than can be served soon. */
export class TooManyPasswords extends Error {}

export class Passwords {
  readonly #cost: Cost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Compared with when there is nobody of that name, so that the time taken does not tell. */
  readonly #nobodys: string;

  /** A lower cost is for tests of other things. */
  constructor(cost: Cost = COST) {
    this.#cost = cost;
    this.#nobodys = written(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return written(this.#cost, salt, await this.#derive(password, salt, this.#cost));
  }

  /** False for nobody and for somebody without a password, after the same time. */
  async matches(password: string, kept: string | null): Promise<boolean> {
    const [, ln, r, p, salt, hash] = SHAPE.exec(kept ?? this.#nobodys) ?? [];
    if (salt === undefined || hash === undefined) throw new Error("a kept password has an unknown form");
    const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
    const derived = await this.#derive(password, Buffer.from(salt, "base64"), cost);
    return timingSafeEqual(derived, Buffer.from(hash, "base64")) && kept !== null;
  }

  async #derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
    await this.#turn();
    try {
      return await new Promise((resolve, reject) => {
        // The same letters, however they were composed, are the same password.
        const text = password.normalize("NFKC");
        const cost = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
        scrypt(text, salt, HASH_BYTES, cost, (error, key) => (error ? reject(error) : resolve(key)));
      });
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= WAITING_MAX) throw new TooManyPasswords("too many passwords are being compared");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
  }
}

function written({ ln, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  return `$scrypt$ln=${ln},r=${r},p=${p}$${text(salt)}$${text(hash)}`;
}
