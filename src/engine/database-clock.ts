/** A database clock that jumps by more than this is not to be trusted with what fires when. */
const STEP_MS_MAX = 5_000;
/** How long a jumped clock must stay where it is before it is believed again. */
const TRUST_AFTER_MS = 60_000;
/** An answer slower than this says little about the time it was given. */
const ROUND_TRIP_MS_MAX = 1_000;
/** How fast two clocks may move apart: more than a clock that is being set right, slowly, ever does. */
const DRIFT = 0.0005;

/**
 * The database's time on this node's monotonic clock: the only clock that decides. The local wall clock plays no part,
 * so it may be wrong, and may jump. Every answer of the database that carries its time sharpens the mapping.
 */
export class DatabaseClock {
  readonly #monotonic: () => number;
  readonly #onStep: (stepMs: number) => void;
  /** Database time at monotonic zero. */
  #offset: number | null = null;
  /** No more than the offset surely is, and when that was known. */
  #least = { offset: Number.NEGATIVE_INFINITY, at: 0 };
  #steppedAt: number | null = null;

  constructor(monotonic: () => number, onStep: (stepMs: number) => void = () => {}) {
    this.#monotonic = monotonic;
    this.#onStep = onStep;
  }

  /** This moment on the monotonic clock: to be taken before the database is asked for its time. */
  mark(): number {
    return this.#monotonic();
  }

  /** Takes a database time that was asked for at `sentAt` (a mark) and has just arrived. */
  observe(databaseTime: Date, sentAt: number): void {
    const receivedAt = this.#monotonic();
    if (receivedAt - sentAt > ROUND_TRIP_MS_MAX) return;
    const offset = databaseTime.getTime() - (sentAt + receivedAt) / 2;
    const stepMs = this.#offset === null ? 0 : offset - this.#offset;
    this.#offset = offset;
    this.#bound(databaseTime.getTime(), sentAt, receivedAt);
    if (Math.abs(stepMs) <= STEP_MS_MAX) return;
    this.#steppedAt = receivedAt;
    this.#onStep(Math.round(stepMs));
  }

  /** False for a minute after the clock jumped: nothing is planned by it. */
  get trusted(): boolean {
    return this.#steppedAt === null || this.#monotonic() - this.#steppedAt > TRUST_AFTER_MS;
  }

  /** Milliseconds from now until the database's clock shows the time; 0 if it is past or not known. */
  msUntil(databaseTime: Date): number {
    if (this.#offset === null) return 0;
    return Math.max(0, databaseTime.getTime() - this.#offset - this.#monotonic());
  }

  /** The moment, on the monotonic clock, at which the database's clock surely shows the time; infinity while nothing is known of it. */
  surelyAt(databaseTime: Date): number {
    return databaseTime.getTime() - this.#leastOffset(this.#monotonic());
  }

  /** The database took its time after it was asked and before the answer came. */
  #bound(databaseMs: number, sentAt: number, receivedAt: number): void {
    const [least, most] = [databaseMs - receivedAt, databaseMs + 1 - sentAt];
    const known = this.#leastOffset(receivedAt);
    // More than what is possible: the database's clock was set back.
    if (least >= known || known > most) this.#least = { offset: least, at: receivedAt };
  }

  #leastOffset(at: number): number {
    return this.#least.offset - (at - this.#least.at) * DRIFT;
  }

  now(): number | null {
    return this.#offset === null ? null : this.#offset + this.#monotonic();
  }
}
