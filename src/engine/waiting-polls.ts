// Long polls of workers that wait for something to do.
//
// They are served by one pass over all of them, not each by itself: a wake-up costs one look at the handlers that are waited
// for, and only for those with something due a claim is made, until it is taken. The pass sleeps until the earliest moment it
// knows of, by the database's clock; a new poll, a wake-up and a poll every second cut the sleep short.
//
// A poll that has just come is claimed for without looking. One whose time is up, or whose client went away, while its claim
// is under way waits for the claim: what it got would otherwise be nobody's. A client that is gone asks again under the same
// request id, and gets it then.
//
// A poll may wait long after its key was looked at. Right before a claim is made for it those who ask are looked at again,
// and nothing is claimed for whoever would not be let in any more.

import { PunctualError } from "../contract/errors.ts";
import { CLAIM_MAX } from "../contract/worker-rules.ts";
import { hasRoom } from "../core/fair-room.ts";
import { claimTokens } from "../core/ids.ts";
import type { ClaimResult, Place } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { resolveBlocked } from "./blocked.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { Loop, type Rest } from "./loop.ts";

const POLL_MS = 1_000;
/** While nobody waits there is nothing to look for. */
const IDLE_MS = 60_000;
/** Each costs memory and a socket; beyond this many a node says that it is full, and to one project at half of them. */
const POLLS_MAX = 1_000;
/** Claims under way at a time: enough to keep up, too few to take the node's connections from everything else. */
const AT_A_TIME = 4;
/** One claim in so many goes by age alone. */
const OLDEST_EVERY = 8;

/** What a poll is answered. `repeated`: it was before. */
export type Handed = Pick<ClaimResult, "claimed" | "repeated">;

const NOTHING: Handed = { claimed: [], repeated: false };

export interface WorkRequest {
  projectId: string;
  holder: string;
  requestId: string;
  handlers: { name: string; free: number }[];
}

/** Whoever sent the request. */
export interface Asker {
  /** Aborted when it went away. */
  signal: AbortSignal;
  /** Throws when it would not be let in any more. */
  stillAllowed(): Promise<void>;
}

interface Waiter extends Pick<Asker, "stillAllowed"> {
  refuse(error: unknown): void;
}

interface Poll extends WorkRequest {
  /** Nobody has looked for it yet. */
  fresh: boolean;
  claiming: boolean;
  timeUp: boolean;
  /** Those who hope for its answer. */
  waiters: Set<Waiter>;
  answer: Promise<Handed>;
  resolve(handed: Handed): void;
  reject(error: unknown): void;
}

export interface WaitingPollsDeps {
  store: Store;
  clock: DatabaseClock;
  log: Log;
  metrics: Metrics;
}

export class WaitingPolls {
  readonly #deps: WaitingPollsDeps;
  readonly #loop: Loop;
  /** By holder and request: the same request twice is one poll. */
  readonly #polls = new Map<string, Poll>();
  /** Where claims left off, by what was wanted, while there is plenty of it. */
  readonly #onward = new Map<string, Place>();
  #claims = 0;
  #closed = false;
  #stopListening: () => void = () => {};

  constructor(deps: WaitingPollsDeps) {
    this.#deps = deps;
    this.#loop = new Loop("polls", deps.log, () => this.serveOnce());
  }

  start(): void {
    this.#stopListening = this.#deps.store.events.onWake(() => {
      if (this.#polls.size > 0) this.#loop.wake();
    });
    this.#loop.start();
  }

  /** All that wait are answered now; whoever still asks is sent to another node. */
  close(): void {
    this.#closed = true;
    for (const poll of this.#polls.values()) this.#endIfOver(poll);
  }

  async stop(): Promise<void> {
    this.close();
    this.#stopListening();
    await this.#loop.stop();
  }

  hasRoomFor(projectId: string): boolean {
    return hasRoom(projectId, this.#polls.values(), POLLS_MAX);
  }

  /** What there is to do for the worker, as soon as there is something, or nothing when its time is up. */
  async wait(request: WorkRequest, waitMs: number, { signal, stillAllowed }: Asker): Promise<Handed> {
    if (signal.aborted) return NOTHING;
    if (this.#closed) throw stopping();
    const poll = this.#polls.get(keyOf(request)) ?? this.#add(request);
    const { promise: refused, reject: refuse } = withResolvers<never>();
    const waiter = { stillAllowed, refuse };
    const timer = setTimeout(() => this.#timeUp(poll), waitMs);
    const gone = () => this.#gone(poll, waiter);
    signal.addEventListener("abort", gone);
    poll.waiters.add(waiter);
    try {
      return await Promise.race([poll.answer, refused]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    }
  }

  async serveOnce(): Promise<Rest> {
    if (this.#polls.size === 0) return { againInMs: IDLE_MS };
    try {
      const outlook = await this.#look();
      const rest = [...this.#polls.values()].values();
      const serve = async () => {
        for (const poll of rest) await this.#serve(poll, outlook);
      };
      const served = await Promise.allSettled(Array.from({ length: AT_A_TIME }, serve));
      for (const one of served) if (one.status === "rejected") throw one.reason;
      return { againInMs: Math.min(POLL_MS, outlook.nextInMs) };
    } catch (error) {
      // Those that have waited go on waiting. The others are told, so that they can ask another node.
      for (const poll of this.#polls.values()) if (poll.fresh && !poll.claiming) this.#fail(poll, error);
      throw error;
    }
  }

  #add(request: WorkRequest): Poll {
    const { promise: answer, resolve, reject } = withResolvers<Handed>();
    // Who waits for it sees the error; nobody may be waiting any more.
    answer.catch(() => {});
    const state = { fresh: true, claiming: false, timeUp: false, waiters: new Set<Waiter>() };
    const poll: Poll = { ...request, ...state, answer, resolve, reject };
    this.#polls.set(keyOf(request), poll);
    this.#loop.wake();
    return poll;
  }

  #timeUp(poll: Poll): void {
    poll.timeUp = true;
    this.#endIfOver(poll);
  }

  #gone(poll: Poll, waiter: Waiter): void {
    poll.waiters.delete(waiter);
    this.#endIfOver(poll);
  }

  /**
   * Somebody looks once, however short the time, unless nobody is there to be told. "Nothing" would not be true of one that
   * was never looked for: what it asks again for may have been claimed for it at another node.
   */
  #endIfOver(poll: Poll): void {
    if (poll.claiming || this.#polls.get(keyOf(poll)) !== poll) return;
    const isOver = this.#closed || poll.timeUp;
    if (poll.waiters.size === 0 || (isOver && !poll.fresh)) this.#end(poll, NOTHING);
    else if (this.#closed) this.#fail(poll, stopping());
  }

  #end(poll: Poll, handed: Handed): void {
    this.#polls.delete(keyOf(poll));
    poll.resolve(handed);
  }

  #fail(poll: Poll, error: unknown): void {
    this.#polls.delete(keyOf(poll));
    poll.reject(error);
  }

  /** What is due of all that those who wait are waiting for. */
  async #look(): Promise<Outlook> {
    const wanted = new Map<string, { projectId: string; handler: string }>();
    for (const poll of this.#polls.values())
      if (!poll.fresh)
        for (const { name, free } of poll.handlers)
          if (free > 0) wanted.set(`${poll.projectId} ${name}`, { projectId: poll.projectId, handler: name });
    if (wanted.size === 0) return new Outlook(this.#deps.clock, []);
    const sentAt = this.#deps.clock.mark();
    const { now, due, nextRunAt } = await this.#deps.store.queue.dueHandlers([...wanted.values()]);
    this.#deps.clock.observe(now, sentAt);
    const outlook = new Outlook(this.#deps.clock, due);
    outlook.next(nextRunAt);
    return outlook;
  }

  async #serve(poll: Poll, outlook: Outlook): Promise<void> {
    const isWaiting = this.#polls.get(keyOf(poll)) === poll;
    if (!isWaiting || !(poll.fresh || outlook.hasDueFor(poll))) return;
    poll.claiming = true;
    try {
      await this.#lookAtWaiters(poll);
      if (poll.waiters.size === 0) return;
      const { claimed, repeated, blocked, nextRunAt, moreIsDue } = await this.#claim(poll);
      outlook.next(nextRunAt);
      if (!moreIsDue) outlook.nothingLeftFor(poll);
      poll.fresh = false;
      if (claimed.length > 0) this.#end(poll, { claimed, repeated });
      // What stood in the way is resolved, and perhaps there was something behind it.
      if (blocked.length > 0) {
        await resolveBlocked(this.#deps, blocked);
        this.#loop.wake();
      }
    } catch (error) {
      // Whether the claim took effect is not known: asked again under the same id, the worker gets what it holds.
      this.#fail(poll, error);
      throw error;
    } finally {
      poll.claiming = false;
      this.#endIfOver(poll);
    }
  }

  async #lookAtWaiters({ waiters }: Poll): Promise<void> {
    const look = async (waiter: Waiter) => {
      try {
        await waiter.stillAllowed();
      } catch (error) {
        waiters.delete(waiter);
        waiter.refuse(error);
      }
    };
    await Promise.all([...waiters].map(look));
  }

  async #claim(poll: Poll): Promise<ClaimResult> {
    const wanted = [poll.projectId, ...poll.handlers.filter(({ free }) => free > 0).map(({ name }) => name)].join(" ");
    const from = this.#onward.get(wanted) ?? null;
    let result = await this.#claimFrom(from, poll);
    // There may be something before the place.
    if (from !== null && result.claimed.length === 0 && result.blocked.length === 0)
      result = await this.#claimFrom(null, poll);
    else if (from !== null) result = { ...result, moreIsDue: true };
    if (result.onward === null) this.#onward.delete(wanted);
    else this.#onward.set(wanted, result.onward);
    return result;
  }

  async #claimFrom(from: Place | null, { projectId, holder, requestId, handlers }: Poll): Promise<ClaimResult> {
    const { store, clock } = this.#deps;
    this.#claims += 1;
    const sentAt = clock.mark();
    const result = await store.queue.claimHandlers({
      projectId,
      holder,
      // All of them, whatever is free: asked again it may be for less, and is still to be told all that it got.
      tokens: claimTokens(holder, requestId, CLAIM_MAX),
      tokensAre: "perhaps repeated",
      handlers,
      order: this.#claims % OLDEST_EVERY === 0 ? "oldest" : "priority",
      from,
    });
    clock.observe(result.now, sentAt);
    return result;
  }
}

/** What one pass knows of what is due. */
class Outlook {
  readonly #clock: DatabaseClock;
  readonly #due: Set<string>;
  nextInMs = Number.POSITIVE_INFINITY;

  constructor(clock: DatabaseClock, due: { projectId: string; handler: string }[]) {
    this.#clock = clock;
    this.#due = new Set(due.map(({ projectId, handler }) => `${projectId} ${handler}`));
  }

  next(at: Date | null): void {
    if (at !== null) this.nextInMs = Math.min(this.nextInMs, Math.ceil(this.#clock.msUntil(at)));
  }

  hasDueFor({ projectId, handlers }: WorkRequest): boolean {
    return handlers.some(({ name, free }) => free > 0 && this.#due.has(`${projectId} ${name}`));
  }

  nothingLeftFor({ projectId, handlers }: WorkRequest): void {
    for (const { name, free } of handlers) if (free > 0) this.#due.delete(`${projectId} ${name}`);
  }
}

/** The client asks again under the same request id. */
function stopping(): PunctualError {
  return new PunctualError("unavailable", "the node is stopping; ask another");
}

function keyOf({ holder, requestId }: WorkRequest): string {
  return `${holder} ${requestId}`;
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
