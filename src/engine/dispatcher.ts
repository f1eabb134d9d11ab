// Claims what is due and has it attempted.
//
// It sleeps until the earliest moment it knows of, by the database's clock; a wake-up, a slot that becomes free, and a poll
// every second cut the sleep short. The database decides what is due, so waking early starts nothing early. When nothing is due any
// more, what is next is claimed a moment before its time (claims-ahead.ts).
//
// A claim whose answer was lost may have been committed: its tokens are remembered and read back before the next claim, so
// that what it got is run and not left lying until the lease is over. A claim that took so long that the lease may be over
// is not acted upon: others will recover it.

import { randomUUID } from "node:crypto";
import type { Claimed, ClaimResult } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Attempts, ClaimsNotStarted } from "./attempts.ts";
import { resolveBlocked } from "./blocked.ts";
import type { ClaimSource } from "./claim-source.ts";
import { type ClaimStart, ClaimStarts } from "./claim-start.ts";
import { ClaimsAhead, mostAhead } from "./claims-ahead.ts";
import { together } from "./claims-at-once.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Lease } from "./lease.ts";
import { Loop, type Rest } from "./loop.ts";

const CLAIM_MAX = 1_000;
/** Of many slots half at a time: while one half is worked on, the other is claimed and settled. */
const HALVED_FROM = 100;
const POLL_MS = 1_000;
/** A slot that becomes free while more is due: a moment's wait lets a few more become free, for fewer, larger claims. */
const REFILL_MS = 2;
const LEFT_MS = 5;
const UNSETTLED_MAX = 4_000;
const UNSETTLED_MS = 5;
/** After so long it is looked again for what is due. */
const AHEAD_MS_AT_ONCE = 50;
const NOTHING = { claimed: 0, blocked: 0, upcoming: null };

interface Upcoming {
  decidedAt: Date;
  nextRunAt: Date;
}
type Dispatched = Rest & { claimed: number; blocked: number; upcoming: Upcoming | null };

export interface DispatcherDeps {
  store: Store;
  attempts: Attempts;
  source: ClaimSource;
  clock: DatabaseClock;
  lease: Lease;
  log: Log;
  metrics: Metrics;
}

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #nodeId: string;
  readonly #loop: Loop;
  readonly #checks: Loop;
  readonly #starts = new ClaimStarts();
  readonly #ahead = new ClaimsAhead();
  #contention = 0;
  #moreIsDue = false;
  /** Claims in a row that left something that is due. */
  #left = 0;
  #refill: NodeJS.Timeout | null = null;
  /** Lanes of which a slot became free since. */
  readonly #freed = new Set<string>();
  /** Tokens of claims whose answer was lost. */
  #doubtful: string[] = [];
  /** Tokens of the claims under way. */
  readonly #asked = new Set<string[]>();
  /** Why claimed executions could not be started, for the next pass to tell. */
  #notStarted: ClaimsNotStarted | null = null;
  #stopListening: () => void = () => {};

  constructor(deps: DispatcherDeps, nodeId: string) {
    this.#deps = deps;
    this.#nodeId = nodeId;
    this.#loop = new Loop("dispatcher", deps.log, () => this.#pass());
    this.#checks = new Loop("claims", deps.log, async () => {
      await this.checkClaims();
      return { againInMs: POLL_MS };
    });
    deps.attempts.onFree((lane) => this.#slotFree(lane));
    deps.attempts.onNotStarted((error) => this.#remember(error));
  }

  start(): void {
    this.#stopListening = this.#deps.store.events.onWake(() => {
      this.#starts.heard();
      this.#ahead.heard();
      this.#loop.wake();
      if (this.#deps.attempts.running > 0) this.#checks.wake();
    });
    this.#loop.start();
    this.#checks.start();
  }

  /** Claims nothing more; what runs is left to `attempts.drain`. */
  async stop(): Promise<void> {
    this.#stopListening();
    if (this.#refill !== null) clearTimeout(this.#refill);
    await this.#loop.stop();
    await this.#checks.stop();
  }

  async #pass(): Promise<Rest> {
    const { clock } = this.#deps;
    const { againInMs, upcoming } = await this.dispatchOnce();
    if (upcoming === null) return { againInMs };
    const from = clock.mark();
    const untilAhead = await this.#claimAhead(upcoming);
    return { againInMs: Math.min(Math.max(0, againInMs - (clock.mark() - from)), untilAhead) };
  }

  /** Only what is due. `upcoming`: nothing of that was left, and what is next. */
  async dispatchOnce(): Promise<Dispatched> {
    const { source, lease, attempts } = this.#deps;
    if (!lease.valid) return { ...NOTHING, againInMs: 100 };
    if (attempts.unsettled > Math.max(UNSETTLED_MAX, source.slots)) return { ...NOTHING, againInMs: UNSETTLED_MS };
    this.#throwNotStarted();
    await this.#readBack();
    const wanted = Math.min(source.wanted, mostAtOnce(source));
    if (wanted === 0) {
      this.#moreIsDue = true;
      attempts.startsFirst("nothing");
      return { ...NOTHING, againInMs: POLL_MS };
    }
    const { claimed, blocked, decidedAt, nextRunAt, moreIsDue, onward, unsure } = await this.#claim(wanted);
    if (blocked.length > 0) await resolveBlocked(this.#deps, blocked);
    // Due and still there: all slots, or those of its lane, are taken, and the next that becomes free is for it; or others
    // are claiming it at this moment.
    this.#moreIsDue = moreIsDue || unsure;
    attempts.startsFirst(moreIsDue && source.wanted > 0 ? this.#what() : "nothing");
    const counts = { claimed: claimed.length, blocked: blocked.length, upcoming: null };
    const again = unsure || (moreIsDue && claimed.length >= wanted);
    // All of it was of one lane, and so is what follows.
    const last = onward === null ? undefined : claimed.at(-1);
    const room = last === undefined ? source.wanted : source.roomFor(last.lane);
    if (blocked.length > 0 || (again && room > 0)) return { ...counts, againInMs: 0 };
    const untilNext = nextRunAt === null ? POLL_MS : Math.ceil(this.#deps.clock.msUntil(nextRunAt));
    const upcoming = nextRunAt === null || this.#moreIsDue ? null : { decidedAt, nextRunAt };
    const waitsForSlot = last !== undefined && room === 0;
    return { ...counts, upcoming, againInMs: Math.min(POLL_MS, untilNext, this.#patience(moreIsDue && !waitsForSlot)) };
  }

  /** Claims what is next if the time has come, and says when it comes again. */
  async #claimAhead(upcoming: Upcoming): Promise<number> {
    const { source, clock } = this.#deps;
    const { slots } = source;
    let next: Date | null = upcoming.nextRunAt;
    for (const until = clock.mark() + AHEAD_MS_AT_ONCE; next !== null; ) {
      const most = mostAhead({ slots, free: source.free });
      if (most === 0 || !clock.trusted) break;
      const ms = clock.msUntil(this.#ahead.momentFor(next));
      if (ms > 0 || clock.mark() > until) return Math.ceil(ms);
      const wanted = Math.min(most, mostAtOnce(source));
      const atOnce = this.#ahead.crowded && wanted * 2 <= most ? 2 : 1;
      const result = await this.#take(wanted, atOnce, this.#ahead.start(upcoming.decidedAt));
      const more = this.#ahead.after(result, { wanted: wanted * atOnce, room: wanted * atOnce < most });
      const what = this.#ahead.crowded ? "crowd" : "more";
      this.#deps.attempts.startsFirst(more ? what : "nothing");
      next = result.nextRunAt;
    }
    return POLL_MS;
  }

  #what(): "crowd" | "more" {
    return this.#ahead.crowdIsDue(this.#deps.clock.now() ?? 0) ? "crowd" : "more";
  }

  /** What is due and could not be had may be in the hands of another claimer, who may leave some of it: looked at again soon, then less and less. */
  #patience(leftSomething: boolean): number {
    this.#left = leftSomething ? this.#left + 1 : 0;
    return leftSomething ? LEFT_MS * 2 ** this.#left : POLL_MS;
  }

  /** `unsure`: it did not look at everything, and found less than it could have had. */
  async #claim(wanted: number): Promise<ClaimResult & { unsure: boolean }> {
    const { source, metrics, clock } = this.#deps;
    const sentAt = clock.mark();
    const start = this.#starts.next(sentAt);
    const crowded = start.order === "priority" && this.#what() === "crowd";
    const atOnce = crowded && wanted * 2 <= source.wanted ? 2 : 1;
    const result = await this.#take(wanted, atOnce, start);
    const unsure = this.#starts.after(start, sentAt, result);
    this.#contention += ((result.claimed.length === 0 && this.#moreIsDue ? 1 : 0) - this.#contention) * 0.05;
    metrics.claimContention.set(this.#contention);
    this.#tellLag(result);
    return { ...result, unsure };
  }

  /**
   * Claims, and starts what was claimed. Of a crowd that is due at one moment two claims are made at once, each for its share of what is
   * free: they pass over what the other has locked, and so take together what one after the other would. Not of what comes without
   * end: where many are of one job they wait for each other at its gate, and what they gain is not worth it.
   */
  async #take(wanted: number, atOnce: number, start: ClaimStart): Promise<ClaimResult> {
    const claims = await Promise.allSettled(
      Array.from({ length: atOnce }, async () => {
        const result = await this.#ask(wanted, { ...start, sharedBy: atOnce });
        this.#start(result.claimed);
        return result;
      }),
    );
    return together(
      claims.map((claim) => {
        if (claim.status === "rejected") throw claim.reason;
        return claim.value;
      }),
    );
  }

  async #ask(wanted: number, start: ClaimStart): Promise<ClaimResult> {
    const { source, lease, clock } = this.#deps;
    const tokens = Array.from({ length: wanted }, () => randomUUID());
    this.#asked.add(tokens);
    const sentAt = clock.mark();
    try {
      const result = await source.claim(tokens, start);
      clock.observe(result.now, sentAt);
      if (lease.valid) return result;
      this.#deps.log.warn("claim.too_late", { executions: result.claimed.length });
      return { ...result, claimed: [] };
    } catch (error) {
      this.#doubtful.push(...tokens);
      throw error;
    } finally {
      this.#asked.delete(tokens);
    }
  }

  /** While there is plenty the oldest is looked for only in its own turn. */
  #tellLag({ now, oldestDue, moreIsDue }: ClaimResult): void {
    if (oldestDue === null && moreIsDue) return;
    const waitedMs = oldestDue === null ? 0 : now.getTime() - oldestDue.getTime();
    this.#deps.metrics.schedulerLag.set(Math.max(0, waitedMs) / 1000);
  }

  /**
   * Compares what this node holds in the database with what it knows of. What it works on and no longer holds is aborted.
   * What it holds and does not know of was claimed by a statement that was given up and committed afterwards, or was
   * dropped because the lease seemed over and then was renewed: nobody else will take it while this node lives.
   */
  async checkClaims(): Promise<void> {
    const { store, attempts, log } = this.#deps;
    const running = attempts.claims();
    const before = this.#known();
    const held = new Set(await store.queue.heldClaims(this.#nodeId, attempts.executions()));
    attempts.abortLost(running.filter((claim) => !held.has(claim)));
    const after = this.#known();
    const forgotten = [...held].filter((claim) => !before.has(claim) && !after.has(claim));
    if (forgotten.length === 0) return;
    log.warn("claim.forgotten", { executions: forgotten.length });
    this.#doubtful.push(...forgotten);
    this.#loop.wake();
  }

  #known(): Set<string> {
    const { attempts } = this.#deps;
    return new Set([
      ...attempts.claims(),
      ...attempts.unsettledClaims(),
      ...this.#doubtful,
      ...[...this.#asked].flat(),
    ]);
  }

  async #readBack(): Promise<void> {
    if (this.#doubtful.length === 0) return;
    const { store, log } = this.#deps;
    const tokens = this.#doubtful.slice();
    const claimed = await store.queue.readClaims(this.#nodeId, tokens);
    this.#doubtful = this.#doubtful.slice(tokens.length);
    if (claimed.length === 0) return;
    log.info("claim.read_back", { executions: claimed.length });
    this.#start(claimed);
  }

  /** Their slots are taken at once, and their calls begin in a later turn: the next claim is sent before, and under way meanwhile. */
  #start(claimed: Claimed[]): void {
    if (claimed.length > 0) void this.#deps.attempts.start(claimed);
  }

  #remember(error: ClaimsNotStarted): void {
    this.#doubtful.push(...error.tokens);
    this.#notStarted = error;
    this.#loop.wake();
  }

  /** The database is away, most likely: the loop is to wait like after a claim that failed. */
  #throwNotStarted(): void {
    const error = this.#notStarted;
    this.#notStarted = null;
    if (error !== null) throw error;
  }

  #slotFree(lane: string): void {
    if (!this.#moreIsDue || this.#deps.source.roomFor(lane) === 0) return;
    this.#freed.add(lane);
    this.#refill ??= setTimeout(() => this.#fillAgain(), REFILL_MS);
  }

  /** Unless a claim that was under way has taken what was free. */
  #fillAgain(): void {
    this.#refill = null;
    if (this.#asked.size > 0) {
      this.#refill = setTimeout(() => this.#fillAgain(), REFILL_MS);
      return;
    }
    const { source } = this.#deps;
    if ([...this.#freed].some((lane) => source.roomFor(lane) > 0)) this.#loop.wake();
    this.#freed.clear();
  }
}

/** Of what may wait for a slot all: meanwhile there is other work in hand. */
function mostAtOnce({ slots, wanted }: ClaimSource): number {
  if (Math.max(slots, wanted) < HALVED_FROM) return Math.max(slots, wanted);
  const half = Math.ceil(slots / 2);
  return Math.min(Math.max(half, wanted - half), CLAIM_MAX);
}
