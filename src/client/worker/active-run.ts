// One attempt in this process, from the claim until the server has taken its answer.
//
// A run is told to end (cancelled, out of time, lost, worker stopping) through its signal, and then has a moment to do so by
// itself. A handler that goes on regardless is given up: the server is told what happened, but its slot stays taken until it
// returns, because `concurrency` is a promise about what runs in this process, not about what the server knows.
//
// A run that may be lost, because the server was not heard for as long as the lease, is told so and is not given up: what it
// finishes is sent, and the server, which may have been away itself, decides whether it counts.

import type { Json } from "../../contract/json.ts";
import type { HandedOut } from "../../contract/worker.ts";
import type { HeartbeatInput, SettlementInput } from "../workers.ts";
import { type RunAborted, RunLost, RunTimedOut } from "./abort-reason.ts";
import { type Ending, settlementOf } from "./ending.ts";
import type { DeclaredHandler } from "./handler.ts";
import type { RunLines } from "./log-buffer.ts";
import type { Run } from "./run.ts";
import { conform } from "./schema.ts";
import { storableText } from "./storable.ts";

/** Between the signal and giving the handler up. */
const GRACE_MS = 1_000;
/** How long the answer waits for the run's last lines and progress. */
const LAST_WORDS_MS_MAX = 5_000;
/** Longer timers fire at once; after as many weeks the server knows by itself. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const PROGRESS_MESSAGE_MAX = 1_000;

type HeartbeatItem = NonNullable<HeartbeatInput["executions"]>[number];

/** Takes progress to the server. */
interface Messenger {
  soon(): void;
  now(): void;
}

export class ActiveRun {
  readonly execution: HandedOut;
  readonly #lines: RunLines;
  readonly #heart: Messenger;
  /** What the handler sees. Its first reason stays, so that it does not tell whether what was presumed became certain. */
  readonly #signal = new AbortController();
  /** Why the run is over, whatever the handler does: not aborted while it is only presumed lost. */
  readonly #end = new AbortController();
  #begun = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #progress: { value: Json; told: boolean } | null = null;
  #listeners: (() => void)[] = [];
  /** Resolves when the handler has returned; at once if it was never called. */
  returned: Promise<unknown> = Promise.resolve();
  /** Whether the run was ended and the handler is still at it. */
  goesOn = false;

  /** Made when the answer with the execution arrives: its time counts from then, on this process's own clock. */
  constructor(execution: HandedOut, lines: RunLines, heart: Messenger) {
    this.execution = execution;
    this.#lines = lines;
    this.#heart = heart;
    const { timeoutMs } = execution;
    if (timeoutMs <= TIMER_MS_MAX) this.#timer = setTimeout(() => this.abort(new RunTimedOut(timeoutMs)), timeoutMs);
  }

  /** Null while it may go on. */
  get aborted(): RunAborted | null {
    return reasonOf(this.#end.signal);
  }

  /** The first reason stays. */
  abort(reason: RunAborted): void {
    this.#end.abort(reason);
    this.#signal.abort(reason);
    this.#tellListeners();
  }

  /** Others may have the execution by now. What has not begun needs not be told: it waits for the server's word. */
  presumeLost(): void {
    if (!this.#begun) return;
    this.#signal.abort(new RunLost("no heartbeat was answered for so long that others may have the execution by now"));
  }

  /** Calls the handler and says what the server is to be told; null: nothing, the execution is not this worker's any more. */
  async attempt(handler: DeclaredHandler): Promise<SettlementInput | null> {
    const ending = await this.#ending(handler);
    clearTimeout(this.#timer);
    const { aborted } = this;
    const told = reasonOf(this.#signal.signal);
    const settlement = await settlementOf(this.execution, ending, { aborted, told, handler });
    if (settlement !== null) await this.#everythingSaid();
    return settlement;
  }

  heartbeat(): HeartbeatItem {
    const { id, token } = this.execution;
    return this.#progress === null || this.#progress.told
      ? { id, token }
      : { id, token, progress: this.#progress.value };
  }

  /** The server has what the heartbeat said. */
  told(item: HeartbeatItem): void {
    if (this.#progress !== null && item.progress === this.#progress.value) this.#progress.told = true;
    this.#tellListeners();
  }

  /** Resolves when the next heartbeat that names the run is answered, or the run is aborted. */
  async heard(): Promise<void> {
    this.#heart.now();
    await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  #tellListeners(): void {
    for (const resolve of this.#listeners.splice(0)) resolve();
  }

  async #ending(handler: DeclaredHandler): Promise<Ending> {
    // Cancelled, or found to be lost, before it began.
    if (this.aborted !== null) return { kind: "given_up" };
    this.#begun = true;
    const called = this.#call(handler);
    this.returned = called;
    const ending = await Promise.race([called, this.#givenUp()]);
    this.goesOn = ending.kind === "given_up";
    return ending;
  }

  async #call(handler: DeclaredHandler): Promise<Ending> {
    try {
      const { payload: given } = this.execution;
      const payload = handler.payload === undefined ? given : await conform(handler.payload, given, "payload");
      return { kind: "returned", value: await handler.call(this.#run(payload) as Run<never>) };
    } catch (error) {
      return { kind: "threw", error };
    }
  }

  #givenUp(): Promise<Ending> {
    return new Promise((resolve) => {
      const giveUp = () => {
        const graceMs = this.aborted?.code === "lost" ? 0 : GRACE_MS;
        setTimeout(() => resolve({ kind: "given_up" }), graceMs);
      };
      this.#end.signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #run(payload: unknown): Run<unknown> {
    const { id, attempt, job, handler, idempotencyKey, traceparent, trigger } = this.execution;
    return {
      id,
      attempt,
      payload,
      job,
      handler,
      scheduledAt: new Date(this.execution.scheduledAt),
      deadline: new Date(this.execution.deadline),
      idempotencyKey,
      traceparent,
      trigger,
      signal: this.#signal.signal,
      log: this.#lines.log,
      progress: async (fraction, message) => {
        if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`progress is from 0 to 1, not ${fraction}`);
        const said = message === undefined ? {} : { message: storableText(message, PROGRESS_MESSAGE_MAX) };
        this.#progress = { value: { fraction, ...said }, told: false };
        this.#heart.soon();
      },
    };
  }

  /** What comes after the answer would be refused, so the answer waits; but not for ever. */
  async #everythingSaid(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS_MAX);
    });
    await Promise.race([Promise.all([this.#lines.flushed(), this.#progressTold()]), late]);
    clearTimeout(timer);
  }

  async #progressTold(): Promise<void> {
    while (this.#progress?.told === false) await this.heard();
  }
}

function reasonOf(signal: AbortSignal): RunAborted | null {
  return signal.aborted ? (signal.reason as RunAborted) : null;
}
