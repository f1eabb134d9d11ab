/**
 * How long the server believes this worker alive, seen from here: counted from when the last renewal that was answered
 * was sent, on a clock that never jumps. It ends here a little sooner than there, never later.
 */
export class Lease {
  #ms = 0;
  #sentAt = Number.NEGATIVE_INFINITY;

  granted(leaseMs: number, sentAt: number): void {
    this.#ms = leaseMs;
    this.renewed(sentAt);
  }

  renewed(sentAt: number): void {
    this.#sentAt = Math.max(this.#sentAt, sentAt);
  }

  get msLeft(): number {
    return this.#sentAt + this.#ms - performance.now();
  }

  get valid(): boolean {
    return this.msLeft > 0;
  }
}
