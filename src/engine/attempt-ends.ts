// The ends of attempts: what each was is put together and handed to the settler, or its callback is awaited.
//
// While others that are due have not begun, what ends is only kept, and looked at afterwards: to be on time is the promise.

import type { Attempt } from "../contract/execution.ts";
import type { AttemptResult } from "../core/attempt.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
import { isoOf } from "../core/iso-time.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { AbortReason, Accepted } from "../targets/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Settler } from "./settler.ts";
import { broken, NEVER_BEGUN, stopped } from "./unmade-attempt.ts";

export interface EndedAttempt {
  claimed: Claimed;
  job: CompiledJob;
  outcome: AttemptResult | Accepted;
  /** Why it was to end, if it was. */
  abortReason: AbortReason | undefined;
  /** The database's time, in milliseconds. */
  endedMs: number;
}

export interface AttemptEndsDeps {
  store: Store;
  settler: Settler;
  log: Log;
  metrics: Metrics;
}

const IN_A_TURN = 500;

export class AttemptEnds {
  readonly #deps: AttemptEndsDeps;
  readonly #node: string;
  readonly #onEnd: (claimed: Claimed) => void;
  readonly #kept: EndedAttempt[] = [];
  #keeps = false;

  /** `onEnd`: of the attempt nothing is in hand any more but perhaps its result. */
  constructor(deps: AttemptEndsDeps, options: { node: string; onEnd: (claimed: Claimed) => void }) {
    this.#deps = deps;
    this.#node = options.node;
    this.#onEnd = options.onEnd;
  }

  /** Whether others come first. */
  keep(keeps: boolean): void {
    this.#keeps = keeps;
    if (!keeps && this.#kept.length > 0) this.#concludeKept();
  }

  add(ended: EndedAttempt): void {
    if (this.#keeps) this.#kept.push(ended);
    else this.#conclude(ended);
  }

  /** A mistake of ours, not of the target's: the attempt fails, and the log has the rest. */
  broken({ id, jobId }: Claimed, error: unknown): AttemptResult {
    this.#deps.log.error("attempt.broken", { executionId: id, jobId, error });
    return broken(error);
  }

  /** Of an execution whose job was deleted before it began. */
  neverBegun(claimed: Claimed, job: CompiledJob): void {
    const attempt = this.#attempt(claimed, NEVER_BEGUN, 0);
    this.#deps.settler.add({ claimed, job, result: NEVER_BEGUN, attempt });
  }

  /** In turns of their own, like the starts. */
  #concludeKept(): void {
    setImmediate(() => {
      for (const ended of this.#kept.splice(0, IN_A_TURN)) this.#conclude(ended);
      if (this.#kept.length > 0) this.#concludeKept();
    });
  }

  #conclude(ended: EndedAttempt): void {
    try {
      this.#tell(ended);
    } catch (error) {
      this.#tell({ ...ended, outcome: this.broken(ended.claimed, error) });
    }
  }

  #tell({ claimed, job, outcome, abortReason, endedMs }: EndedAttempt): void {
    const { settler, metrics } = this.#deps;
    if (outcome.response !== null) metrics.targetResponses.inc({ status: String(outcome.response.status) });
    const attempt = this.#attempt(claimed, outcome, endedMs);
    if (outcome.outcome === "accepted") {
      const parked = { id: claimed.id, claim: claimed.claim, timeoutMs: job.timeoutMs, attempt };
      void this.#awaitCallback(parked).then(() => this.#onEnd(claimed));
      return;
    }
    // Whoever took the claim has written what became of it.
    if (abortReason === "claim_lost") metrics.staleWritesRefused.inc();
    else if (abortReason === "shutdown" && outcome.error?.code === "shutdown") {
      // This node ends, the execution need not: the attempt counts as lost and runs again elsewhere. One that had ended
      // by itself before it heard of the stop is told as it ended.
      const lost = stopped(outcome);
      settler.add({ claimed, job, result: lost, attempt: { ...attempt, outcome: "lost", error: lost.error } });
    } else settler.add({ claimed, job, result: outcome, attempt });
    this.#onEnd(claimed);
  }

  async #awaitCallback(item: { id: string; claim: string; timeoutMs: number; attempt: Attempt }): Promise<void> {
    // Until it is written the execution is ours; a database that is away is waited for like in the settler.
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      try {
        await this.#deps.store.queue.awaitCallback(item);
        return;
      } catch (error) {
        if (waitMs === 50) this.#deps.log.warn("callback.not_recorded", { executionId: item.id, error });
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  #attempt(claimed: Claimed, outcome: AttemptResult | Accepted, endedMs: number): Attempt {
    const accepted = outcome.outcome === "accepted";
    const startedMs = claimed.startedAt.getTime();
    return {
      number: claimed.attempt,
      outcome: accepted ? null : outcome.outcome,
      jobVersion: claimed.version,
      startedAt: isoOf(startedMs),
      finishedAt: accepted ? null : isoOf(Math.max(endedMs, startedMs)),
      error: accepted ? null : outcome.error,
      node: this.#node,
      worker: null,
      request: outcome.request,
      response: outcome.response,
      timings: outcome.timings,
    };
  }
}
