// Tells the server that the worker lives and what it holds, and hears what became of it.
//
// When heartbeats fail for so long that the lease must be over, the server may have given the executions to others, and what
// runs is told so. But it may as well have been away itself, and then it waits for its workers to be heard: after that, and
// after a freeze, heartbeats simply go on naming everything, and the answer says which executions are still this worker's.

import { backoffMs } from "../backoff.ts";
import { RunCancelled, RunLost } from "./abort-reason.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Lease } from "./lease.ts";
import type { Problems } from "./problem.ts";
import type { Session } from "./session.ts";

/** Progress is worth a heartbeat of its own, but not more than one a second; the last one before an answer comes sooner. */
const PROGRESS_MS = 1_000;
const URGENT_MS = 100;

export interface HeartEvents {
  /** The server wants the worker to finish and leave. */
  drain(): void;
  /** A heartbeat was answered. */
  renewed(): void;
}

export class Heart {
  readonly #session: Session;
  readonly #lease: Lease;
  readonly #problems: Problems;
  readonly #held: ReadonlyMap<string, ActiveRun>;
  readonly #events: HeartEvents;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #dueAt = Number.POSITIVE_INFINITY;
  #leaseTimer: ReturnType<typeof setTimeout> | null = null;
  #beating = false;
  #sentAt = 0;
  #failures = 0;
  #stopped = true;

  constructor(
    session: Session,
    lease: Lease,
    problems: Problems,
    held: ReadonlyMap<string, ActiveRun>,
    events: HeartEvents,
  ) {
    this.#session = session;
    this.#lease = lease;
    this.#problems = problems;
    this.#held = held;
    this.#events = events;
  }

  start(): void {
    this.#stopped = false;
    this.#sentAt = performance.now();
    this.#watchLease();
    this.#scheduleIn(this.#session.heartbeatMs);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#leaseTimer !== null) clearTimeout(this.#leaseTimer);
  }

  /** There is something to tell. */
  soon(): void {
    this.#atLeastAfter(PROGRESS_MS);
  }

  /** Somebody waits for the answer. */
  now(): void {
    this.#atLeastAfter(URGENT_MS);
  }

  #atLeastAfter(ms: number): void {
    // While the server is away, what happens here must not undo the backing off.
    if (this.#failures === 0) this.#scheduleIn(Math.max(0, this.#sentAt + ms - performance.now()));
  }

  /** Sooner than planned, never later. */
  #scheduleIn(ms: number): void {
    const dueAt = performance.now() + ms;
    if (dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    // What came up since the one under way was sent is for the next, which is planned when it is over.
    if (this.#beating || this.#stopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#beat(), ms);
  }

  async #beat(): Promise<void> {
    this.#beating = true;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#sentAt = performance.now();
    try {
      await this.#tell();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (!this.#stopped) this.#problems.report(error, { during: "heartbeat" });
    }
    this.#beating = false;
    const dueAt = Math.min(
      this.#dueAt,
      this.#failures > 0 ? this.#afterFailure() : this.#sentAt + this.#session.heartbeatMs,
    );
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#scheduleIn(Math.max(0, dueAt - performance.now()));
  }

  /** Before the lease is over there must be time for a few tries. */
  #afterFailure(): number {
    return performance.now() + Math.min(backoffMs(this.#failures), this.#session.heartbeatMs / 2);
  }

  async #tell(): Promise<void> {
    const runs = [...this.#held.values()];
    const executions = runs.map((run) => run.heartbeat());
    const { items, drain } = await this.#session.once(
      "heartbeat",
      (id, options) => this.#session.api.heartbeat(id, { executions }, options),
      { timeoutMs: this.#session.heartbeatMs },
    );
    this.#lease.renewed(this.#sentAt);
    this.#watchLease();
    for (const [index, run] of runs.entries()) {
      run.told(executions[index]!);
      const { id } = run.execution;
      const answer = items[index]?.id === id ? items[index] : items.find((item) => item.id === id);
      if (answer !== undefined) this.#heard(run, answer.status);
    }
    this.#events.renewed();
    if (drain) this.#events.drain();
  }

  #heard(run: ActiveRun, status: "ok" | "cancel" | "lost"): void {
    if (status === "cancel") run.abort(new RunCancelled());
    if (status === "lost") run.abort(new RunLost("the server says that the execution is not this worker's any more"));
  }

  #watchLease(): void {
    if (this.#leaseTimer !== null) clearTimeout(this.#leaseTimer);
    if (this.#stopped) return;
    this.#leaseTimer = setTimeout(() => this.#leaseOver(), Math.max(0, this.#lease.msLeft));
  }

  #leaseOver(): void {
    // Renewed by a registration in the meantime, or the timer was a little early.
    if (this.#lease.valid) this.#watchLease();
    else for (const run of this.#held.values()) run.presumeLost();
  }
}
