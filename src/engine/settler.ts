// Results, gathered for a few milliseconds and written together. While a write is under way the next ones gather, so that
// batches grow with the load. A result is kept until the database has answered: an outage delays it, nothing drops it. After
// a write whose answer was lost the same is sent again, and what matches no claim is looked for in the ledger before it is
// called stale. A row the database refuses is settled alone, so that one odd response never costs the others.

import type { EventType, PunctualEvent } from "../contract/events.ts";
import type { Reason } from "../contract/execution.ts";
import { judge, type Verdict } from "../core/attempt.ts";
import { isoOf, msOf } from "../core/iso-time.ts";
import type { FinalSettlement, SettledExecution } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import {
  cancelledByDelete,
  type Finished,
  type Settlement,
  settlement,
  type Tell,
  withoutContent,
} from "./settlement.ts";

/** Somebody who waits for what was unwritten when he asked. */
interface Waiting {
  for: Set<Settlement>;
  resolve(): void;
}

const GATHER_MS = 2;
/** While results keep coming: a write has its price, however few it has. */
const GATHER_FLOW_MS = 10;
const FLOW_MIN = 3;
const BATCH_MAX = 1_000;
/** At once. A database has more than one processor, and one that claims and settles has use for two. */
const WRITES_MAX = 2;
/** While more could be started, results wait for longer: to be on time is the promise, and what has ended can wait a moment. */
const GATHER_BUSY_MS = 25;
/** And for longer in the first moments of a crowd: of all that is due at one moment the last is to start soon. */
const GATHER_BURST_MS = 250;
const GATHER_BURST_MAX = 10_000;
const BURSTS_APART_MS = 1_000;
/** Nodes look at the queue at least this often by themselves. */
const WAKE_FOR_DELAY_MS = 1_000;
const RETRY_WAIT_MS = [50, 100, 250, 500, 1_000];

/** `crowd`: many that are due at one moment. */
export type ToStart = "nothing" | "more" | "crowd";

export interface SettlerDeps {
  store: Store;
  log: Log;
  metrics: Metrics;
  random: () => number;
  isDataError: (error: unknown) => boolean;
}

export class Settler {
  readonly #deps: SettlerDeps;
  #pending: Settlement[] = [];
  /** What is being written. */
  readonly #batches = new Set<Settlement[]>();
  /** Not told to the metrics yet. */
  readonly #outcomes = new Map<string, number>();
  /** Claims of results that cannot be written in any form: known, so that nobody takes them for calls that were never made. */
  readonly #givenUp: string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #waiting: Waiting[] = [];
  #failures = 0;
  #stopped = false;
  #toStart: ToStart = "nothing";
  /** When a result of a crowd came, at last, and until when that is new. */
  #busyAt = Number.NEGATIVE_INFINITY;
  #burstUntil = Number.NEGATIVE_INFINITY;
  /** The last write had several. */
  #flows = false;

  constructor(deps: SettlerDeps) {
    this.#deps = deps;
  }

  /** Decides what follows from an attempt and has it written; `tell` is called once its fate is known. */
  add(finished: Finished, tell: Tell = () => {}): void {
    this.#pending.push(settlement(finished, this.#judge(finished), tell));
    const { outcome } = finished.result;
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#gather();
  }

  /** What could be started at once, and comes before results. */
  startsFirst(toStart: ToStart): void {
    if (this.#toStart === toStart) return;
    this.#toStart = toStart;
    if (toStart === "nothing" && this.#pending.length > 0 && this.#failures === 0) this.#schedule(0);
  }

  claims(): string[] {
    return [...this.#unwritten().map(({ item }) => item.claim), ...this.#givenUp];
  }

  #unwritten(): Settlement[] {
    return [this.#pending, ...this.#batches].flat();
  }

  get backlog(): number {
    return this.#pending.length;
  }

  /** Forgets what is not written, and says how much that is: nobody will wait for it any more. */
  giveUp(): number {
    const left = this.#pending.splice(0);
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    return left.length + [...this.#batches].flat().length;
  }

  /** Resolves when everything so far is written. */
  async flushed(): Promise<void> {
    const unwritten = this.#unwritten();
    if (this.#stopped || unwritten.length === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push({ for: new Set(unwritten), resolve }));
  }

  #judge(finished: Finished): Verdict {
    const { claimed, job, result } = finished;
    const sinceFirstStartMs = finishedMs(finished) - claimed.firstStartedAt.getTime();
    return judge(result, job.spec, { attempt: claimed.attempt, sinceFirstStartMs }, this.#deps.random());
  }

  #gather(): void {
    const { most, ms } = this.#patience();
    if (this.#timer === null) this.#schedule(this.#pending.length >= most ? 0 : ms);
    else if (this.#pending.length === most && this.#failures === 0) this.#schedule(0);
  }

  /** How long results may wait, and how many. */
  #patience(): { most: number; ms: number } {
    if (this.#toStart === "nothing") return { most: BATCH_MAX, ms: this.#flows ? GATHER_FLOW_MS : GATHER_MS };
    if (this.#toStart === "more") return { most: BATCH_MAX, ms: GATHER_BUSY_MS };
    const now = performance.now();
    if (now - this.#busyAt > BURSTS_APART_MS) this.#burstUntil = now + GATHER_BURST_MS;
    this.#busyAt = now;
    const burstMs = this.#burstUntil - now;
    return burstMs > 0 ? { most: GATHER_BURST_MAX, ms: burstMs } : { most: BATCH_MAX, ms: GATHER_BUSY_MS };
  }

  /** Beside a write that is under way another is only for a full batch. */
  #schedule(ms: number): void {
    const full = this.#pending.length >= BATCH_MAX && this.#failures === 0;
    if (this.#stopped || this.#batches.size >= (full ? WRITES_MAX : 1)) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#write().then(() => this.#next());
      if (this.#pending.length >= BATCH_MAX) this.#schedule(0);
    }, ms);
  }

  #next(): void {
    this.#tellWaiting();
    if (this.#pending.length > 0 && this.#failures === 0) this.#gather();
    else if (this.#pending.length > 0)
      this.#schedule(RETRY_WAIT_MS[Math.min(this.#failures, RETRY_WAIT_MS.length) - 1]!);
  }

  /** Others may have come meanwhile, and will: nobody waits for those. */
  #tellWaiting(): void {
    if (this.#waiting.length === 0) return;
    const unwritten = this.#unwritten();
    const done = this.#waiting.filter((one) => !unwritten.some((settlement) => one.for.has(settlement)));
    this.#waiting = this.#waiting.filter((one) => !done.includes(one));
    for (const { resolve } of done) resolve();
  }

  async #write(): Promise<void> {
    const batch = this.#pending.splice(0, BATCH_MAX);
    this.#batches.add(batch);
    this.#flows = batch.length >= FLOW_MIN;
    for (const [outcome, count] of this.#outcomes) this.#deps.metrics.attempts.inc({ outcome }, count);
    this.#outcomes.clear();
    try {
      await this.#settle(batch);
      this.#failures = 0;
    } catch (error) {
      if (this.#deps.isDataError(error)) return await this.#settleOneByOne(batch);
      this.#failures += 1;
      if (this.#failures % 10 === 1) this.#deps.log.warn("settle.failed", { executions: batch.length, error });
      // Whether it was written is not known: the same again.
      this.#pending.unshift(...batch);
    } finally {
      this.#batches.delete(batch);
    }
  }

  async #settleOneByOne(batch: Settlement[]): Promise<void> {
    for (const one of batch) {
      try {
        await this.#settle([one]);
      } catch (error) {
        if (this.#deps.isDataError(error)) await this.#settleRefused(one, error);
        else this.#putBack(one);
      }
    }
  }

  async #settleRefused(one: Settlement, error: unknown): Promise<void> {
    this.#deps.log.error("settle.refused", { executionId: one.item.id, error });
    try {
      await this.#settle([withoutContent(one)]);
    } catch (again) {
      if (!this.#deps.isDataError(again)) return this.#putBack(one);
      this.#deps.log.error("settle.given_up", { executionId: one.item.id, error: again });
      this.#givenUp.push(one.item.claim);
      one.tell("not_storable");
    }
  }

  #putBack(one: Settlement): void {
    this.#pending.push(one);
    this.#failures += 1;
  }

  async #settle(batch: Settlement[]): Promise<void> {
    const finals = batch.filter((settlement) => settlement.kind === "final");
    const retries = batch.filter((settlement) => settlement.kind === "retry");
    const { store } = this.#deps;
    const settled = await store.queue.settleFinal(finals.map(({ item }) => item));
    const { retrying, jobDeleted } = await store.queue.settleRetry(retries.map(({ item }) => item));
    await this.#tellFates(batch, [...settled.map(({ id }) => id), ...retrying, ...jobDeleted]);
    await this.#followUp(finals, settled);
    const returned = new Set(retrying);
    this.#announceRetries(retries.filter(({ item }) => returned.has(item.id)));
    const orphaned = new Set(jobDeleted);
    for (const retry of retries.filter(({ item }) => orphaned.has(item.id)))
      this.#addAfter(retry, cancelledByDelete(retry.finished));
  }

  /** Who waits for the one waits for the other as well. */
  #addAfter(written: Settlement, next: Settlement): void {
    this.#pending.push(next);
    for (const one of this.#waiting) if (one.for.has(written)) one.for.add(next);
  }

  async #tellFates(batch: Settlement[], written: string[]): Promise<void> {
    if (written.length === batch.length) {
      for (const { tell } of batch) tell("written");
      return;
    }
    const done = new Set(written);
    await this.#explainMissing(batch.filter(({ item }) => !done.has(item.id)));
    for (const { item, tell } of batch) if (done.has(item.id)) tell("written");
  }

  async #followUp(finals: (Settlement & { kind: "final" })[], settled: SettledExecution[]): Promise<void> {
    const { store, metrics } = this.#deps;
    const byId = new Map(finals.map((final) => [final.item.id, final]));
    const states = new Map<string, number>();
    for (const { id } of settled) {
      const { item, finished } = byId.get(id)!;
      states.set(item.state, (states.get(item.state) ?? 0) + 1);
      metrics.executionDuration.observe(
        Math.max(0, finishedMs(finished) - finished.claimed.firstStartedAt.getTime()) / 1000,
      );
      this.#tell(item, finished);
    }
    for (const [state, count] of states) metrics.executionsFinished.inc({ state }, count);
    store.events.publish(() =>
      settled.flatMap(({ id, jobCompleted }) => this.#endingEvents(byId.get(id)!, jobCompleted)),
    );
    const released = settled.filter(({ waiting }) => waiting).map(({ jobId }) => jobId);
    if (released.length > 0 && (await store.queue.releaseWaiting([...new Set(released)])) > 0) store.events.wake();
  }

  #tell({ id, jobId, state, reason, error }: FinalSettlement, { claimed: { attempt } }: Finished): void {
    const { log } = this.#deps;
    if (state === "succeeded") log.debug("execution.succeeded", { executionId: id, jobId, attempt });
    else log.warn(`execution.${state}`, { executionId: id, jobId, attempt, reason: reason?.code, error });
  }

  #endingEvents({ item, finished }: Settlement & { kind: "final" }, jobCompleted: boolean): PunctualEvent[] {
    const { state, reason } = item;
    return [
      ...(state === "succeeded" ? [] : [this.#event("attempt.failed", finished, reason)]),
      this.#event(`execution.${state}`, finished, reason),
      ...(jobCompleted ? [this.#event("job.completed", finished, null)] : []),
    ];
  }

  #announceRetries(retries: (Settlement & { kind: "retry" })[]): void {
    const { store, metrics, log } = this.#deps;
    metrics.executionRetries.inc(retries.length);
    // Whoever sleeps until its next poll would be late for these.
    if (retries.some(({ item }) => item.delayMs < WAKE_FOR_DELAY_MS)) store.events.wake();
    for (const { finished, item } of retries)
      log.info("execution.retrying", {
        executionId: item.id,
        jobId: item.jobId,
        attempt: finished.claimed.attempt,
        delayMs: item.delayMs,
        error: finished.result.error,
      });
    store.events.publish(() =>
      retries.flatMap(({ finished }) => [
        this.#event("attempt.failed", finished, null),
        this.#event("execution.retrying", finished, null),
      ]),
    );
  }

  /** No row matched: the claim is lost, or the same had been written before: an answer was lost, or a report came twice. */
  async #explainMissing(missing: Settlement[]): Promise<void> {
    if (missing.length === 0) return;
    const looked = missing.map(({ item: { id, claim, attempt }, finished: { claimed } }) => ({
      id,
      projectId: claimed.projectId,
      claim,
      outcome: attempt.outcome,
    }));
    const written = new Set(await this.#deps.store.queue.settledBefore(looked));
    for (const { item, tell } of missing) {
      if (!written.has(item.id)) this.refuseStale(item.id);
      tell(written.has(item.id) ? "written" : "claim_lost");
    }
  }

  /** Of a result whose claim is lost. */
  refuseStale(executionId: string): void {
    this.#deps.metrics.staleWritesRefused.inc();
    this.#deps.log.info("execution.stale_result_refused", { executionId });
  }

  #event(type: EventType, { claimed, attempt }: Finished, reason: Reason | null): PunctualEvent {
    return {
      type,
      timestamp: attempt.finishedAt ?? isoOf(claimed.startedAt.getTime()),
      projectId: claimed.projectId,
      data: {
        jobId: claimed.jobId,
        executionId: claimed.id,
        attempt: claimed.attempt,
        reason,
        ...(type.startsWith("execution.") ? { state: type.slice("execution.".length) } : {}),
      },
    };
  }
}

function finishedMs({ attempt, claimed }: Finished): number {
  return attempt.finishedAt === null ? claimed.startedAt.getTime() : msOf(attempt.finishedAt);
}
