import type { Attempt } from "../contract/execution.ts";
import type { Ended as SaidEnded, Settlement } from "../contract/worker.ts";
import type { AttemptResult } from "../core/attempt.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
import { handlerResult } from "../core/handler-result.ts";
import { isoOf } from "../core/iso-time.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { giveBack } from "./give-back.ts";
import type { Fate } from "./settlement.ts";
import type { Settler } from "./settler.ts";
import { NEVER_BEGUN } from "./unmade-attempt.ts";

/** By so much the worker's clock may be ahead when it calls an attempt's time over. */
const CLOCK_SLACK_MS = 1_000;

export interface WorkerResultsDeps {
  store: Store;
  jobs: CompiledJobs;
  settler: Settler;
  clock: DatabaseClock;
  log: Log;
  metrics: Metrics;
}

/** An attempt that is over. */
interface Ended {
  claimed: Claimed;
  job: CompiledJob;
  result: AttemptResult;
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

  /** `claims` are those that the worker holds or held a moment ago, each at the place of its item. Answers in the same order. */
  async settle(
    worker: { projectId: string; name: string },
    items: Settlement[],
    claims: (Claimed | undefined)[],
  ): Promise<SettledItem[]> {
    if (items.every(isEnded)) return await this.#settleEnded(worker, items, claims);
    await this.#takeBack(
      worker.name,
      claims.filter((claimed, nth): claimed is Claimed => claimed !== undefined && !isEnded(items[nth]!)),
    );
    const ended = await this.#settleEnded(
      worker,
      items.filter(isEnded),
      claims.filter((_, nth) => isEnded(items[nth]!)),
    );
    const next = ended.values();
    // What is returned is the worker's no more, whether it was so before or not.
    return items.map((item) => (isEnded(item) ? next.next().value! : { id: item.id, accepted: true, reason: null }));
  }

  async #takeBack(worker: string, claims: Claimed[]): Promise<void> {
    if (claims.length === 0) return;
    const { deleted } = await giveBack(this.#deps, claims);
    const orphaned = new Set(deleted);
    await this.#end(
      worker,
      claims.filter(({ id }) => orphaned.has(id)),
      NEVER_BEGUN,
    );
  }

  async #settleEnded(
    worker: { projectId: string; name: string },
    items: SaidEnded[],
    claims: (Claimed | undefined)[],
  ): Promise<SettledItem[]> {
    const ended = await this.#ended(items, claims);
    const written = this.#settleAll(worker.name, ended);
    const settled = new Set(ended.map(({ claimed }) => claimed));
    const isSettled = (claimed: Claimed | undefined) => claimed !== undefined && settled.has(claimed);
    const before = await this.#writtenBefore(
      worker.projectId,
      items.filter((_, nth) => !isSettled(claims[nth])),
    );
    const fates = await written;
    return items.map(({ id }, nth) => {
      const claimed = claims[nth];
      const fate = (claimed && fates.get(claimed)) ?? (before.has(id) ? "written" : "claim_lost");
      return { id, accepted: fate === "written", reason: fate === "written" ? null : fate };
    });
  }

  /** What was said of claims first; of what is said twice the rest is not listened to. */
  async #ended(items: SaidEnded[], claims: (Claimed | undefined)[]): Promise<Ended[]> {
    const said = new Map<Claimed, SaidEnded>();
    claims.forEach((claimed, nth) => {
      if (claimed !== undefined && !said.has(claimed)) said.set(claimed, items[nth]!);
    });
    const held = [...said.keys()];
    const jobs = await this.#deps.jobs.loadEach(held);
    const now = await this.#now();
    return held.flatMap((claimed, nth) => {
      const job = jobs[nth];
      if (job === undefined) return [];
      const overdue = now + CLOCK_SLACK_MS >= deadlineOf(claimed, job);
      return [{ claimed, job, result: handlerResult(said.get(claimed)!, overdue) }];
    });
  }

  /** Ends attempts for a worker that does not. */
  async end(worker: string, claims: Claimed[], result: AttemptResult): Promise<void> {
    if (claims.length === 0) return;
    const { store, log } = this.#deps;
    for (const claimed of claims)
      log.warn("execution.lost", {
        executionId: claimed.id,
        jobId: claimed.jobId,
        holder: worker,
        cause: result.error?.message,
      });
    await this.#end(worker, claims, result);
    store.events.wake();
  }

  async #end(worker: string, claims: Claimed[], result: AttemptResult): Promise<void> {
    const loaded = await this.#deps.jobs.loadEach(claims);
    const ended = claims.flatMap((claimed, nth) => {
      const job = loaded[nth];
      return job === undefined ? [] : [{ claimed, job, result }];
    });
    await this.#settleAll(worker, ended);
  }

  /** One promise for all of them: there may be tens of thousands a second. */
  async #settleAll(worker: string, ended: Ended[]): Promise<Map<Claimed, Fate>> {
    const now = await this.#now();
    const fates = new Map<Claimed, Fate>();
    if (ended.length === 0) return fates;
    return await new Promise((resolve) => {
      for (const { claimed, job, result } of ended)
        this.#deps.settler.add(
          { claimed, job, result, attempt: this.#attempt(worker, claimed, result, now) },
          (fate) => {
            fates.set(claimed, fate);
            if (fates.size === ended.length) resolve(fates);
          },
        );
    });
  }

  #attempt(worker: string, { attempt, version, startedAt }: Claimed, result: AttemptResult, now: number): Attempt {
    const startedMs = startedAt.getTime();
    return {
      number: attempt,
      outcome: result.outcome,
      jobVersion: version,
      startedAt: isoOf(startedMs),
      finishedAt: isoOf(Math.max(now, startedMs)),
      error: result.error,
      node: this.#node,
      worker,
      request: null,
      response: null,
      timings: null,
    };
  }

  /** The same handed in twice is answered the same way; everything else that names no claim of the worker is stale. */
  async #writtenBefore(projectId: string, gone: SaidEnded[]): Promise<ReadonlySet<string>> {
    const { store, settler } = this.#deps;
    const looked = gone.flatMap((item) => {
      if (!isClaimToken(item.token)) return [];
      // Whether its time was over when it came first is not known any more.
      const outcomes = [false, true].map((overdue) => handlerResult(item, overdue).outcome);
      return [...new Set(outcomes)].map((outcome) => ({ id: item.id, projectId, claim: item.token, outcome }));
    });
    const before = new Set(await store.queue.settledBefore(looked));
    for (const { id } of gone) if (!before.has(id)) settler.refuseStale(id);
    return before;
  }

  async #now(): Promise<number> {
    return this.#deps.clock.now() ?? (await this.#deps.store.now()).getTime();
  }
}

function isEnded(item: Settlement): item is SaidEnded {
  return item.outcome !== "returned";
}

/** Anything else is the name of no claim, and the database would refuse to look for it. */
export function isClaimToken(token: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(token);
}

/** An execution whose version is gone has no deadline; it ends with its worker. */
export function deadlineOf({ startedAt }: Claimed, job: CompiledJob | undefined): number {
  return job === undefined ? Number.POSITIVE_INFINITY : startedAt.getTime() + job.timeoutMs;
}
