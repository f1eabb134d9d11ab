import { Load } from "../../core/load.ts";

/** How many runs of one handler this process takes, and how many of them are taken or asked for. */
export class Slots {
  readonly handler: string;
  readonly total: number;
  readonly #load = new Load(() => performance.now());
  #asked = 0;
  /** The last poll got all that it asked for: there may be more. */
  #plenty = false;

  constructor(handler: string, total: number) {
    this.handler = handler;
    this.total = total;
  }

  /** How many could begin at once. */
  get free(): number {
    return Math.max(0, this.total - this.#load.running - this.#load.waiting - this.#asked);
  }

  /** How many may be asked for: also such as have to wait for a slot, where there is much to do and each takes no time. */
  get wanted(): number {
    return this.#plenty ? Math.max(this.free, this.#load.spare - this.#asked) : this.free;
  }

  get hasFree(): boolean {
    return this.#load.running < this.total;
  }

  get isIdle(): boolean {
    return this.#load.running + this.#load.waiting === 0;
  }

  /** A poll that waits at the server asks for some of them. */
  get isAskedFor(): boolean {
    return this.#asked > 0;
  }

  ask(count: number): void {
    this.#asked += count;
  }

  /** `all`: it got as many as it asked for. */
  answered(count: number, { all }: { all: boolean }): void {
    this.#asked -= count;
    this.#plenty = all;
  }

  take(): void {
    this.#load.running += 1;
  }

  give(): void {
    this.#load.running -= 1;
    this.#load.ended();
  }

  wait(): void {
    this.#load.waiting += 1;
  }

  waitNoMore(): void {
    this.#load.waiting -= 1;
  }
}
