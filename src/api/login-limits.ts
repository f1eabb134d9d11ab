// Guessing passwords is made slow: after a few wrong ones nobody may try again for a while from the same address, and after many
// for the same account, from wherever. Counted by each node for itself. An account that is guessed at from many addresses is closed
// to its owner too for that time; whoever is already signed in notices nothing.

import { PunctualError } from "../contract/errors.ts";
import { networkOf } from "./network.ts";
import { type Counted, Windows } from "./windows.ts";

const WRONG_PER_ADDRESS_MAX = 10;
/** More, because it can be used to shut somebody out. */
const WRONG_PER_ACCOUNT_MAX = 100;
const WINDOW_MS = 5 * 60_000;
const COUNTED_MAX = 10_000;
/** What is longer is no name that anybody has. */
const ACCOUNT_LENGTH_MAX = 320;

export class LoginLimits {
  readonly #addresses: Windows;
  readonly #accounts: Windows;

  constructor({ monotonic }: { monotonic: () => number }) {
    const options = { windowMs: WINDOW_MS, keysMax: COUNTED_MAX, monotonic };
    this.#addresses = new Windows(options);
    this.#accounts = new Windows(options);
  }

  /**
   * Throws `rate_limited` before a password is looked at. An attempt counts as wrong from its beginning, so that many at
   * once are as many as one after the other.
   */
  attempt(address: string, account: string): void {
    const [network, name] = [networkOf(address), named(account)];
    refuseIfOver(this.#addresses.look(network), WRONG_PER_ADDRESS_MAX, "from this address");
    refuseIfOver(this.#accounts.look(name), WRONG_PER_ACCOUNT_MAX, "for this account");
    this.#addresses.add(network);
    this.#accounts.add(name);
  }

  /** The wrong ones before it stay counted for the address: one account of one's own must not buy guesses at the others. */
  succeeded(address: string, account: string): void {
    this.#addresses.takeBack(networkOf(address));
    this.#accounts.forget(named(account));
  }

  /** The attempt came to nothing: no password was looked at. */
  takeBack(address: string, account: string): void {
    this.#addresses.takeBack(networkOf(address));
    this.#accounts.takeBack(named(account));
  }
}

function refuseIfOver({ count, msLeft }: Counted, max: number, whose: string): void {
  if (count < max) return;
  const seconds = Math.ceil(msLeft / 1_000);
  throw new PunctualError(
    "rate_limited",
    `there were ${max} wrong logins ${whose} within ${WINDOW_MS / 60_000} minutes; try again in ${seconds} s`,
    { retryAfterMs: msLeft },
  );
}

/** However it is spelt. */
function named(account: string): string {
  return account.trim().slice(0, ACCOUNT_LENGTH_MAX).normalize("NFKC").toLowerCase();
}
