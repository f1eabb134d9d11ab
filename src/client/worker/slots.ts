/** How many runs of one handler this process takes, and how many of them are taken or asked for. */
export class Slots {
  readonly handler: string;
  readonly total: number;
  #running = 0;
  #asked = 0;

  constructor(handler: string, total: number) {
    this.handler = handler;
    this.total = total;
  }

  get free(): number {
    return Math.max(0, this.total - this.#running - this.#asked);
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** A poll that waits at the server asks for some of them. */
  get isAskedFor(): boolean {
    return this.#asked > 0;
  }

  ask(count: number): void {
    this.#asked += count;
  }

  answered(count: number): void {
    this.#asked -= count;
  }

  take(): void {
    this.#running += 1;
  }

  give(): void {
    this.#running -= 1;
  }
}
