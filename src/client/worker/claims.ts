// Asks for work, by long polls that wait at the server until there is some.
//
// A poll asks for the slots that are free when it is sent. It is never given up for a better one while the worker works: the
// server may have claimed for it, and the answer would be lost. When further slots become free while it waits, nothing needs
// to be done for a handler it asks for anyway (its answer comes with the first execution, and the next poll asks for all
// slots); for a handler that no poll asks for another one is sent. Such extra polls are few and short, so that the long one
// soon asks for everything again.
//
// Where there is much to do and each takes no time, more is asked for than there are slots (slots.ts): what has to wait for one is
// at hand when it becomes free.
//
// A poll that fails is repeated under the same request id: what the server claimed for it is answered again.

import type { HandedOut } from "../../contract/worker.ts";
import { CLAIM_MAX, CLAIM_WAIT_MS_MAX } from "../../contract/worker-rules.ts";
import { backoffMs, pause } from "../backoff.ts";
import { randomUuid } from "../random-uuid.ts";
import type { Problems } from "./problem.ts";
import type { Session } from "./session.ts";
import type { Slots } from "./slots.ts";

/** Slots often become free together; a moment's wait makes one poll of them. When all are free there is nothing to wait for. */
const GATHER_MS = 5;
const POLLS_MAX = 8;
const EXTRA_WAIT_MS = 5_000;
/** What an answer may take beyond the wait. */
const ANSWER_MS_MAX = 15_000;
const REFUSED_WAIT_MS = 5_000;
/** How long a stopping worker tries to learn what its last polls got. */
const READ_BACK_MS_MAX = 5_000;

export interface ClaimsEvents {
  /** Whether more work is welcome at all. */
  ready(): boolean;
  take(executions: HandedOut[]): void;
}

interface Poll {
  requestId: string;
  asked: { slots: Slots; free: number }[];
}

/** As much as was asked for of the handler, or as much as one answer may have. */
function gotAll(executions: HandedOut[], name: string, asked: number): boolean {
  return executions.length >= CLAIM_MAX || executions.filter(({ handler }) => handler === name).length >= asked;
}

export class Claims {
  readonly #session: Session;
  readonly #problems: Problems;
  readonly #slots: Slots[];
  readonly #events: ClaimsEvents;
  readonly #stop = new AbortController();
  readonly #polls = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Polls in a row that were answered with nothing before their time. */
  #early = 0;

  constructor(session: Session, problems: Problems, slots: Slots[], events: ClaimsEvents) {
    this.#session = session;
    this.#problems = problems;
    this.#slots = slots;
    this.#events = events;
  }

  /** Slots may be free, or more work may be welcome again. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#slots.every((slots) => slots.isIdle)) this.#look();
    else this.#timer ??= setTimeout(() => this.#look(), GATHER_MS);
  }

  /** Asks for nothing more; what the last polls got is known when this resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all(this.#polls);
  }

  #look(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#stop.signal.aborted || this.#polls.size >= POLLS_MAX || !this.#events.ready()) return;
    const wanting = this.#slots.filter((slots) => slots.wanted > 0);
    if (wanting.every((slots) => slots.isAskedFor)) return;
    const asked = wanting.map((slots) => ({ slots, free: slots.wanted }));
    const waitMs = this.#waitMs(wanting);
    const poll = this.#poll({ requestId: randomUuid(), asked }, waitMs).finally(() => {
      this.#polls.delete(poll);
      this.wake();
    });
    this.#polls.add(poll);
  }

  /** What would have to wait for a slot is taken if it is there, and not waited for: by then there may be no use for it. */
  #waitMs(wanting: Slots[]): number {
    if (wanting.some((slots) => slots.wanted > slots.free)) return 0;
    return this.#polls.size === 0 ? CLAIM_WAIT_MS_MAX : EXTRA_WAIT_MS;
  }

  async #poll(poll: Poll, waitMs: number): Promise<void> {
    for (const { slots, free } of poll.asked) slots.ask(free);
    const sentAt = performance.now();
    let executions: HandedOut[] = [];
    try {
      executions = await this.#claim(poll, waitMs, this.#stop.signal);
      const isEarly = executions.length === 0 && performance.now() - sentAt < waitMs / 2;
      this.#early = isEarly ? this.#early + 1 : 0;
      // A node that is about to stop answers all polls at once: it must not be asked again and again until it is gone.
      if (isEarly) await this.#rest(backoffMs(this.#early));
    } catch (error) {
      if (this.#stop.signal.aborted) executions = await this.#readBack(poll);
      else {
        this.#problems.report(error, { during: "claim" });
        await this.#rest(REFUSED_WAIT_MS);
      }
    }
    for (const { slots, free } of poll.asked) slots.answered(free, { all: gotAll(executions, slots.handler, free) });
    this.#events.take(executions);
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, this.#stop.signal).catch(() => {});
  }

  /** A poll cut short may have claimed. Asked again under its id, for nothing new, it says what. */
  async #readBack({ requestId, asked }: Poll): Promise<HandedOut[]> {
    const nothing = asked.map(({ slots }) => ({ slots, free: 0 }));
    try {
      return await this.#claim({ requestId, asked: nothing }, 0, AbortSignal.timeout(READ_BACK_MS_MAX));
    } catch (error) {
      this.#problems.report(error, { during: "claim" });
      return [];
    }
  }

  async #claim({ requestId, asked }: Poll, waitMs: number, signal: AbortSignal): Promise<HandedOut[]> {
    const handlers = asked.map(({ slots, free }) => ({ name: slots.handler, free }));
    return await this.#session.insist(
      "claim",
      (id, options) => this.#session.api.claim(id, { requestId, handlers, waitMs }, options),
      { timeoutMs: waitMs + ANSWER_MS_MAX, signal },
    );
  }
}
