// Single triggers that come at the same time are written together. The first goes at once; those that come while it is being
// written wait for it, and then go in one statement and one commit. So nobody waits for company, and a crowd is as cheap
// as one request with as many items. Each is for itself: what is wrong with one is that one's error.

import type { TriggerOneResult, TriggerRequest } from "../port/jobs.ts";
import { isDataError } from "./database.ts";

/** So that one is written while the disk has another. */
const WRITES_AT_ONCE = 2;
const ITEMS_PER_WRITE = 200;

type Write = (items: TriggerRequest[]) => Promise<TriggerOneResult[]>;

interface Waiting {
  item: TriggerRequest;
  resolve: (result: TriggerOneResult) => void;
  reject: (error: unknown) => void;
}

export class GatheredTriggers {
  readonly #write: Write;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  get idle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  async add(item: TriggerRequest): Promise<TriggerOneResult> {
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay >= WRITES_AT_ONCE || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, ITEMS_PER_WRITE);
    this.#underWay += 1;
    void this.#writeTogether(batch).finally(() => {
      this.#underWay -= 1;
      this.#next();
    });
  }

  async #writeTogether(batch: Waiting[]): Promise<void> {
    try {
      const results = await this.#write(batch.map(({ item }) => item));
      for (const [nth, { resolve }] of batch.entries()) resolve(results[nth]!);
    } catch (error) {
      // Data that the database refuses fails all that stand beside it: only then is each written alone.
      if (batch.length > 1 && isDataError(error)) for (const one of batch) await this.#writeTogether([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
