// Single triggers that come at the same time are written together. The first goes at once; those that come while it is being
// written wait for it, and then go in one statement and one commit. So nobody waits for company, and a crowd is as cheap
// as one request with as many items. Each is for itself: what is wrong with one is that one's error.

import { isDataError } from "./database.ts";

/** So that one is written while the disk has another. */
const WRITES_AT_ONCE = 2;
const ITEMS_PER_WRITE = 200;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Caller {
  projectId: string;
  actor: string;
}

/** Of many callers: what is written together is of one. */
export class GatheredByCaller<Item, Result> {
  readonly #write: (caller: Caller, items: Item[]) => Promise<Result[]>;
  /** Only of those who are waiting. */
  readonly #gathered = new Map<string, Gathered<Item, Result>>();

  constructor(write: (caller: Caller, items: Item[]) => Promise<Result[]>) {
    this.#write = write;
  }

  async add(caller: Caller, item: Item): Promise<Result> {
    const name = `${caller.projectId} ${caller.actor}`;
    const gathered = this.#gathered.get(name) ?? new Gathered((items) => this.#write(caller, items));
    this.#gathered.set(name, gathered);
    try {
      return await gathered.add(item);
    } finally {
      if (gathered.idle) this.#gathered.delete(name);
    }
  }
}

class Gathered<Item, Result> {
  readonly #write: (items: Item[]) => Promise<Result[]>;
  #waiting: Waiting<Item, Result>[] = [];
  #underWay = 0;

  constructor(write: (items: Item[]) => Promise<Result[]>) {
    this.#write = write;
  }

  get idle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  async add(item: Item): Promise<Result> {
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

  async #writeTogether(batch: Waiting<Item, Result>[]): Promise<void> {
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
