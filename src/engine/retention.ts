// Days of the ledger are made ahead and dropped when they are old; everything else that has served its time is swept, a
// bounded number per pass. Every node does it; each step is harmless when another was quicker.

import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { Loop } from "./loop.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = 10 * 60_000;
const SWEPT_PER_PASS = 5_000;
const DAYS_AHEAD = 3;

export class Retention {
  readonly #store: Store;
  readonly #log: Log;
  readonly #retentionMs: number;
  readonly #loop: Loop;

  constructor(deps: { store: Store; log: Log }, options: { retentionMs: number }) {
    this.#store = deps.store;
    this.#log = deps.log;
    this.#retentionMs = options.retentionMs;
    this.#loop = new Loop("retention", deps.log, async () => {
      const { swept } = await this.sweepOnce();
      return { againInMs: swept >= SWEPT_PER_PASS ? 1_000 : EVERY_MS };
    });
  }

  /** Before anything is written the days it may be written into exist. */
  async prepare(): Promise<void> {
    await this.#prepareDays((await this.#store.now()).getTime());
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async sweepOnce(): Promise<{ made: string[]; dropped: string[]; swept: number }> {
    const now = (await this.#store.now()).getTime();
    const made = await this.#prepareDays(now);
    const retentionMs = await this.#store.retention.keptFor(this.#retentionMs);
    const dropped = await this.#store.retention.dropPartitionsBefore(now - retentionMs);
    if (dropped.length > 0) this.#log.info("retention.dropped", { partitions: dropped });
    const counts = await this.#store.retention.sweep({ retentionMs, limit: SWEPT_PER_PASS });
    if (made.length > 0) await this.#store.retention.analyze();
    return { made, dropped, swept: Math.max(...Object.values(counts)) };
  }

  async #prepareDays(now: number): Promise<string[]> {
    const made = await this.#store.retention.ensurePartitions(now - DAY_MS, now + DAYS_AHEAD * DAY_MS);
    if (made.length > 0) this.#log.info("retention.days_made", { partitions: made });
    return made;
  }
}
