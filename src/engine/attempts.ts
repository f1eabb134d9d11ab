// The attempts this node is making. Each has a slot, a time limit and a way to be aborted; how it ended is for attempt-ends.ts to tell.
//
// What is claimed takes a slot at once, or waits for one (waiting-room.ts), and is given back if that takes too long.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Json } from "../contract/json.ts";
import { wantsCallback } from "../contract/target.ts";
import type { AttemptResult } from "../core/attempt.ts";
import { callbackToken } from "../core/callback-token.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
import { START_WITHIN_MS } from "../core/start-within.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import { AttemptAbort } from "../targets/port/attempt-abort.ts";
import type { Accepted, Call, Reporter, TargetRunner } from "../targets/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { AttemptEnds } from "./attempt-ends.ts";
import {
  announceStarted,
  type ClaimedWork,
  isAhead,
  loadWork,
  noteDelay,
  noteStart,
  traceparentOf,
} from "./claimed-work.ts";
import { AHEAD_MS } from "./claims-ahead.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { giveBack } from "./give-back.ts";
import type { Lease } from "./lease.ts";
import type { LogWriter } from "./log-writer.ts";
import type { Settler, ToStart } from "./settler.ts";
import type { LaneSlots } from "./slots.ts";
import { StartTimes } from "./start-times.ts";
import { type Limited, TimeLimits } from "./time-limits.ts";
import { WaitingRoom } from "./waiting-room.ts";

export interface AttemptsDeps {
  store: Store;
  jobs: CompiledJobs;
  targets: TargetRunner;
  settler: Settler;
  logs: LogWriter;
  slots: LaneSlots;
  clock: DatabaseClock;
  lease: Lease;
  log: Log;
  metrics: Metrics;
}

/** How long a stop waits for a database that is away to take the last results. */
const SETTLE_MS_MAX = 10_000;

/** An attempt that is being made. */
class Running implements Limited {
  readonly claimed: Claimed;
  readonly abort = new AttemptAbort();
  overAt = Number.POSITIVE_INFINITY;
  hasSlot: boolean;

  constructor(claimed: Claimed, hasSlot: boolean) {
    this.claimed = claimed;
    this.hasSlot = hasSlot;
  }

  timeOver(): void {
    this.overAt = Number.POSITIVE_INFINITY;
    this.abort.abort("timeout");
  }
}

export class Attempts {
  readonly #deps: AttemptsDeps;
  readonly #publicUrl: () => string;
  readonly #running = new Map<string, Running>();
  readonly #limits = new TimeLimits(this.#running);
  /** Claimed ahead. */
  readonly #early: StartTimes<ClaimedWork>;
  readonly #room: WaitingRoom;
  #toClaim: ToStart = "nothing";
  /** What is due and was claimed ahead has not begun yet. */
  #moreInHand = false;
  readonly #ends: AttemptEnds;
  #onFree: (lane: string) => void = () => {};
  #onNotStarted: (error: ClaimsNotStarted) => void = () => {};
  #whenIdle: (() => void)[] = [];

  constructor(deps: AttemptsDeps, options: { node: string; publicUrl: () => string }) {
    this.#deps = deps;
    this.#publicUrl = options.publicUrl;
    this.#ends = new AttemptEnds(deps, { node: options.node, onEnd: (claimed) => this.#end(claimed) });
    this.#early = new StartTimes(
      () => deps.clock.mark(),
      (work, more) => {
        this.#moreInHand = more;
        this.startsFirst(this.#toClaim);
        this.#beginUnlessLate(work);
        this.#ends.keep(more);
      },
    );
    this.#room = new WaitingRoom({
      slots: deps.slots,
      now: () => deps.clock.now() ?? 0,
      begin: (work) => this.#beginWaiting(work),
      giveBack: (work) => void this.#giveBack(work),
    });
  }

  /** There is one less in hand of a lane. */
  onFree(listener: (lane: string) => void): void {
    this.#onFree = listener;
  }

  onNotStarted(listener: (error: ClaimsNotStarted) => void): void {
    this.#onNotStarted = listener;
  }

  get unsettled(): number {
    return this.#deps.settler.backlog;
  }

  /**
   * Takes the slots at once, as far as there are some, and starts the calls in a later turn, or at their time if that is later. Returns when
   * they are under way or wait, not when they have ended.
   */
  async start(claimed: Claimed[]): Promise<void> {
    const { store, jobs } = this.#deps;
    for (const one of claimed) this.#running.set(one.claim, new Running(one, this.#takeSlot(one)));
    try {
      await nextTurn();
      const work = await loadWork({ store, jobs }, claimed);
      const [placed, waiting] = this.#bySlot(work);
      this.#beginInTime(placed);
      this.#room.add(waiting);
      if (work.length < claimed.length) {
        const begun = new Set(work.map(({ claimed }) => claimed));
        for (const one of claimed) if (!begun.has(one)) this.#end(one);
      }
    } catch (error) {
      // Nothing was sent. The claims stay ours until the lease ends or a later read-back finds them.
      this.#deps.log.warn("attempts.not_started", { executions: claimed.length, error });
      this.#notStarted(claimed, error);
    }
  }

  #takeSlot({ lane }: Claimed): boolean {
    const { slots } = this.#deps;
    const free = slots.hasFree(lane);
    if (free) slots.take(lane);
    else slots.wait(lane);
    return free;
  }

  #bySlot(work: ClaimedWork[]): [placed: ClaimedWork[], waiting: ClaimedWork[]] {
    const waiting = work.filter(({ claimed }) => !this.#running.get(claimed.claim)!.hasSlot);
    if (waiting.length === 0) return [work, waiting];
    return [work.filter(({ claimed }) => this.#running.get(claimed.claim)!.hasSlot), waiting];
  }

  #notStarted(claimed: Claimed[], error: unknown): void {
    for (const one of claimed) this.#end(one);
    const tokens = claimed.map(({ claim }) => claim);
    this.#onNotStarted(new ClaimsNotStarted(tokens, error));
  }

  #beginWaiting(work: ClaimedWork): void {
    const { claimed } = work;
    this.#running.get(claimed.claim)!.hasSlot = true;
    noteStart(claimed, this.#deps.clock.now() ?? 0);
    this.#beginInTime([work]);
  }

  async #giveBack(work: ClaimedWork[]): Promise<void> {
    const claimed = work.map((one) => one.claimed);
    try {
      const { deleted } = await giveBack(this.#deps, claimed);
      const orphaned = new Set(deleted);
      for (const { claimed, job } of work) if (orphaned.has(claimed.id)) this.#ends.neverBegun(claimed, job);
      for (const one of claimed) this.#end(one);
    } catch (error) {
      this.#deps.log.warn("claims.not_given_back", { executions: claimed.length, error });
      this.#notStarted(claimed, error);
    }
  }

  /** What is due that could be claimed and started at once; what has ended waits for longer then. */
  startsFirst(toClaim: ToStart): void {
    this.#toClaim = toClaim;
    this.#deps.settler.startsFirst(this.#moreInHand ? "crowd" : toClaim);
  }

  get running(): number {
    return this.#running.size;
  }

  /** The claims that are being worked on. */
  claims(): string[] {
    return [...this.#running.keys()];
  }

  /** What is being worked on. */
  executions(): string[] {
    return Array.from(this.#running.values(), ({ claimed }) => claimed.id);
  }

  /** Claims whose results are not written yet. */
  unsettledClaims(): string[] {
    return this.#deps.settler.claims();
  }

  /** Cancelled, or taken over by others. */
  abortLost(claims: string[]): void {
    for (const claim of claims) this.#running.get(claim)?.abort.abort("claim_lost");
  }

  /** Resolves when nothing runs and every result is written. */
  async ended(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    await this.#deps.settler.flushed();
  }

  /**
   * Waits for what runs to end; after the time given, what still runs is aborted and runs again elsewhere, if its job
   * allows a second call. So does what ended while the database was away: a stop does not wait for it for ever.
   */
  async drain(ms: number): Promise<void> {
    const waiting = this.#room.empty();
    if (waiting.length > 0) void this.#giveBack(waiting);
    const timer = setTimeout(() => {
      for (const { abort } of this.#running.values()) abort.abort("shutdown");
    }, ms);
    const giveUp = setTimeout(() => {
      const executions = this.#deps.settler.giveUp();
      this.#deps.log.error("attempts.not_settled", { executions });
    }, ms + SETTLE_MS_MAX);
    await this.ended();
    clearTimeout(timer);
    clearTimeout(giveUp);
  }

  #beginInTime(work: ClaimedWork[]): void {
    const { clock } = this.#deps;
    const now = clock.mark();
    const due: ClaimedWork[] = [];
    const early: { at: number; item: ClaimedWork }[] = [];
    for (const item of work) {
      // Nothing is claimed longer before its time than that, whatever the database's clock does meanwhile.
      const at = Math.min(clock.surelyAt(item.claimed.startedAt), now + AHEAD_MS);
      if (at <= now) due.push(item);
      else early.push({ at, item });
    }
    this.#beginUnlessLate(due);
    this.#early.add(early);
  }

  /** What was claimed ahead, and has waited for too long since its time, is given back: others may have room for it. */
  #beginUnlessLate(work: ClaimedWork[]): void {
    const latest = (this.#deps.clock.now() ?? 0) - START_WITHIN_MS;
    const isLate = ({ claimed }: ClaimedWork) => isAhead(claimed) && claimed.startedAt.getTime() < latest;
    const late = work.filter(isLate);
    this.#begin(late.length === 0 ? work : work.filter((one) => !isLate(one)));
    if (late.length > 0) void this.#giveBack(late);
  }

  #begin(work: ClaimedWork[]): void {
    if (work.length === 0) return;
    const now = this.#deps.clock.now() ?? 0;
    for (const { claimed, job, payload } of work) {
      noteDelay(claimed, now);
      void this.#make(claimed, job, payload);
    }
    announceStarted(
      this.#deps,
      work.map(({ claimed }) => claimed),
    );
  }

  async #make(claimed: Claimed, job: CompiledJob, payload: Json): Promise<void> {
    const { targets, logs, lease, log } = this.#deps;
    const running = this.#running.get(claimed.claim)!;
    if (!lease.valid) {
      log.warn("attempt.not_sent", { executionId: claimed.id, cause: "the lease may be over" });
      this.#end(claimed);
      return;
    }
    running.overAt = performance.now() + job.timeoutMs;
    this.#limits.watch(running);
    const reporter = logs.reporter(claimed);
    let outcome: AttemptResult | Accepted;
    try {
      outcome = await targets.attempt(this.#call(claimed, job, payload, reporter), running.abort);
      const closing = reporter.close();
      if (closing !== undefined) await closing;
    } catch (error) {
      await reporter.close();
      outcome = this.#ends.broken(claimed, error);
    }
    const endedMs = this.#deps.clock.now() ?? 0;
    this.#ends.add({ claimed, job, outcome, abortReason: running.abort.reason, endedMs });
  }

  #call(claimed: Claimed, job: CompiledJob, payload: Json, reporter: Reporter): Call {
    return {
      executionId: claimed.id,
      rootId: claimed.rootId,
      attempt: claimed.attempt,
      trigger: claimed.trigger,
      scheduledAt: claimed.scheduledAt,
      startedAt: claimed.startedAt,
      projectId: claimed.projectId,
      jobId: claimed.jobId,
      jobVersion: claimed.version,
      job: job.spec,
      payload,
      callbackUrl: wantsCallback(job.spec.target)
        ? `${this.#publicUrl()}/api/v1/callbacks/${callbackToken(claimed.id, claimed.claim)}`
        : null,
      reporter,
      traceparent: traceparentOf(claimed),
    };
  }

  #end({ claim, lane }: Claimed): void {
    const { slots } = this.#deps;
    const running = this.#running.get(claim);
    if (running === undefined) return;
    this.#running.delete(claim);
    if (running.hasSlot) slots.give(lane);
    else slots.waitNoMore(lane);
    this.#room.beginNext();
    this.#onFree(lane);
    if (this.#running.size > 0) return;
    this.#limits.idle();
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

/** The calls of these claims were not made; their tokens can be read back. */
export class ClaimsNotStarted extends Error {
  readonly tokens: string[];

  constructor(tokens: string[], cause: unknown) {
    super("claimed executions could not be started", { cause });
    this.tokens = tokens;
  }
}
