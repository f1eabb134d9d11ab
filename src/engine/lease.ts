import type { NodeStore } from "../store/port/instance.ts";
import type { Log } from "../telemetry/log.ts";
import { Loop } from "./loop.ts";

export interface NodeIdentity {
  id: string;
  name: string;
  roles: string[];
  version: string;
  concurrency: number;
}

/** Where the lease is written down. */
export type Members = Pick<NodeStore, "renew" | "leave">;

/**
 * This node's one lease. The database's clock judges it; here it is only known until when it is surely valid, counted on
 * the monotonic clock from before each renewal was sent. A node that cannot be sure starts nothing.
 */
export class Lease {
  readonly #members: Members;
  readonly #identity: NodeIdentity;
  readonly #leaseMs: number;
  readonly #monotonic: () => number;
  readonly #loop: Loop;
  #validUntil = Number.NEGATIVE_INFINITY;
  #unbrokenSince = Number.POSITIVE_INFINITY;

  constructor(deps: { members: Members; log: Log; monotonic: () => number }, identity: NodeIdentity, leaseMs: number) {
    this.#members = deps.members;
    this.#identity = identity;
    this.#leaseMs = leaseMs;
    this.#monotonic = deps.monotonic;
    this.#loop = new Loop("lease", deps.log, async () => {
      await this.renewOnce();
      return { againInMs: leaseMs / 3 };
    });
  }

  start(): void {
    this.#loop.start();
  }

  async renewOnce(): Promise<void> {
    const sentAt = this.#monotonic();
    // A connection that hangs must cost one renewal, not the lease: the next try takes another connection.
    await within(this.#leaseMs / 3, this.#members.renew({ ...this.#identity, leaseMs: this.#leaseMs }));
    if (this.#validUntil < sentAt) this.#unbrokenSince = sentAt;
    this.#validUntil = sentAt + this.#leaseMs;
  }

  get valid(): boolean {
    return this.#monotonic() < this.#validUntil;
  }

  /**
   * Has it been valid long enough for the others to have renewed theirs? After an outage of the database everybody's
   * lease is over; whoever is back first must not take the others for dead.
   */
  get settled(): boolean {
    return this.valid && this.#monotonic() - this.#unbrokenSince > this.#leaseMs / 3 + 1_000;
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#members.leave(this.#identity.id).catch(() => {});
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the database did not answer within ${Math.round(ms)} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
