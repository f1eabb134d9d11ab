import { parseDuration } from "../contract/duration.ts";
import type { Attempt } from "../contract/execution.ts";
import type { Settlement } from "../contract/worker.ts";
import type { AttemptResult } from "../core/attempt.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
import { handlerResult } from "../core/handler-result.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { claimKey } from "./claim-key.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Fate, Settler } from "./settler.ts";

/** By so much the worker's clock may be ahead when it calls an attempt's time over. */
const CLOCK_SLACK_MS = 1_000;

export interface WorkerResultsDeps {
  store: Store;
  jobs: CompiledJobs;
  settler: Settler;
  clock: DatabaseClock;
  log: Log;
}

export interface SettledItem {
  id: string;
  accepted: boolean;
  reason: string | null;
}

/** How the attempts of workers end: by what they hand in, or without them. */
export class WorkerResults {
  readonly #deps: WorkerResultsDeps;
  readonly #node: string;

  constructor(deps: WorkerResultsDeps, node: string) {
    this.#deps = deps;
    this.#node = node;
  }

  /** `held` are those of the items that the worker holds. Answers in the order of the items. */
  async settle(worker: string, items: Settlement[], held: Claimed[]): Promise<SettledItem[]> {
    const claims = new Map(held.map((one) => [claimKey(one.id, one.claim), one]));
    const compiled = await this.#deps.jobs.load(held);
    const now = await this.#now();
    const fates = new Map<string, Promise<Fate>>();
    for (const item of items) {
      const key = claimKey(item.id, item.token);
      const claimed = claims.get(key);
      const job = claimed && compiled(claimed);
      if (!claimed || !job || fates.has(key)) continue;
      const result = handlerResult(item, now + CLOCK_SLACK_MS >= deadlineOf(claimed, job));
      fates.set(key, this.#settleOne(worker, claimed, job, result));
    }
    const before = await this.#writtenBefore(items.filter(({ id, token }) => !fates.has(claimKey(id, token))));
    return await Promise.all(
      items.map(async ({ id, token }) => {
        const fate = (await fates.get(claimKey(id, token))) ?? (before.has(id) ? "written" : "claim_lost");
        return { id, accepted: fate === "written", reason: fate === "written" ? null : fate };
      }),
    );
  }

  /** Ends attempts for a worker that does not. */
  async end(worker: string, claims: Claimed[], result: AttemptResult): Promise<void> {
    if (claims.length === 0) return;
    const { jobs, store, log } = this.#deps;
    const compiled = await jobs.load(claims);
    const fates = claims.flatMap((claimed) => {
      const job = compiled(claimed);
      if (job === undefined) return [];
      log.warn("execution.lost", {
        executionId: claimed.id,
        jobId: claimed.jobId,
        holder: worker,
        cause: result.error?.message,
      });
      return [this.#settleOne(worker, claimed, job, result)];
    });
    await Promise.all(fates);
    store.events.wake();
  }

  async #settleOne(worker: string, claimed: Claimed, job: CompiledJob, result: AttemptResult): Promise<Fate> {
    const finishedAt = new Date(Math.max(await this.#now(), claimed.startedAt.getTime())).toISOString();
    const attempt: Attempt = {
      number: claimed.attempt,
      outcome: result.outcome,
      jobVersion: claimed.version,
      startedAt: claimed.startedAt.toISOString(),
      finishedAt,
      error: result.error,
      node: this.#node,
      worker,
      request: null,
      response: null,
      timings: null,
    };
    return await new Promise((tell) => this.#deps.settler.add({ claimed, job, result, attempt }, tell));
  }

  /** The same handed in twice is answered the same way; everything else that names no claim of the worker is stale. */
  async #writtenBefore(gone: Settlement[]): Promise<ReadonlySet<string>> {
    const { store, settler } = this.#deps;
    const looked = gone.flatMap((item) => {
      if (!isClaimToken(item.token)) return [];
      // Whether its time was over when it came first is not known any more.
      const outcomes = [false, true].map((overdue) => handlerResult(item, overdue).outcome);
      return [...new Set(outcomes)].map((outcome) => ({ id: item.id, claim: item.token, outcome }));
    });
    const before = new Set(await store.queue.settledBefore(looked));
    for (const { id } of gone) if (!before.has(id)) settler.refuseStale(id);
    return before;
  }

  async #now(): Promise<number> {
    return this.#deps.clock.now() ?? (await this.#deps.store.now()).getTime();
  }
}

/** Anything else is the name of no claim, and the database would refuse to look for it. */
export function isClaimToken(token: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(token);
}

/** An execution whose version is gone has no deadline; it ends with its worker. */
export function deadlineOf({ startedAt }: Claimed, job: CompiledJob | undefined): number {
  return job === undefined ? Number.POSITIVE_INFINITY : startedAt.getTime() + parseDuration(job.spec.timeout);
}
