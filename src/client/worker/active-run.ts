// One attempt in this process, from the claim until the server has taken its answer.
//
// A run is told to end (cancelled, out of time, lost, worker stopping) through its signal, and then has a moment to do so by
// itself. A handler that goes on regardless is given up: the server is told what happened, but its slot stays taken until it
// returns, because `concurrency` is a promise about what runs in this process, not about what the server knows.
//
// A run that may be lost, because the server was not heard for as long as the lease, is told so and is not given up: what it
// finishes is sent, and the server, which may have been away itself, decides whether it counts.
//
// Many handlers end in a moment and ask for nothing, thousands of them a second. So what a run may need and seldom does (its
// signal, its log) is made when it is first asked for, and nothing is waited for that is not there.

import type { Json } from "../../contract/json.ts";
import type { HandedOut } from "../../contract/worker.ts";
import type { HeartbeatInput, SettlementInput } from "../workers.ts";
import { type RunAborted, RunLost, RunTimedOut } from "./abort-reason.ts";
import { type Ending, settlementOf } from "./ending.ts";
import type { DeclaredHandler } from "./handler.ts";
import type { LogBuffer, RunLines } from "./log-buffer.ts";
import type { RunLog } from "./run.ts";
import { factsOf } from "./run-facts.ts";
import { type RunSource, RunView } from "./run-view.ts";
import { conform } from "./schema.ts";
import { storableText } from "./storable.ts";

/** Between the signal and giving the handler up. */
const GRACE_MS = 1_000;
/** How long the answer waits for the run's last lines and progress. */
const LAST_WORDS_MS_MAX = 5_000;
const PROGRESS_MESSAGE_MAX = 1_000;
const GIVEN_UP: Ending = { kind: "given_up" };
const RETURNED = Promise.resolve();

type HeartbeatItem = NonNullable<HeartbeatInput["executions"]>[number];

/** Takes progress to the server. */
interface Messenger {
  soon(): void;
  now(): void;
}

export class ActiveRun implements RunSource {
  readonly execution: HandedOut;
  readonly arrivedAt: number;
  readonly #logs: LogBuffer;
  readonly #heart: Messenger;
  #controller: AbortController | null = null;
  /** What the handler's signal says. The first reason stays, so that it does not tell whether what was presumed became certain. */
  #told: RunAborted | null = null;
  /** Why the run is over, whatever the handler does: null while it may go on, and while it is only presumed lost. */
  #aborted: RunAborted | null = null;
  #stage: "waits" | "runs" | "ended" = "waits";
  #giveUp: (() => void) | undefined;
  readonly #overAt: number;
  #lines: RunLines | null = null;
  #progress: { value: Json; told: boolean } | null = null;
  #listeners: (() => void)[] | null = null;
  /** Resolves when the handler has returned; at once if it was never called. */
  returned: Promise<unknown> = RETURNED;
  /** Whether the run was ended and the handler is still at it. */
  goesOn = false;

  /** `arrivedAt`: when the answer with the execution came, on this process's own clock. Its time counts from then. */
  constructor(execution: HandedOut, logs: LogBuffer, heart: Messenger, { arrivedAt }: { arrivedAt: number }) {
    this.execution = execution;
    this.#logs = logs;
    this.#heart = heart;
    this.arrivedAt = arrivedAt;
    this.#overAt = arrivedAt + execution.timeoutMs;
  }

  /** When its time will be over. Never, if it is over already or has no meaning any more. */
  get overAt(): number {
    return this.#stage === "ended" || this.#aborted !== null ? Number.POSITIVE_INFINITY : this.#overAt;
  }

  timeOver(): void {
    this.abort(new RunTimedOut(this.execution.timeoutMs));
  }

  /** The first reason stays. */
  abort(reason: RunAborted): void {
    if (this.#aborted === null) {
      this.#aborted = reason;
      this.#tell(reason);
      if (this.#stage === "runs") setTimeout(() => this.#giveUp?.(), reason.code === "lost" ? 0 : GRACE_MS);
    }
    this.#tellListeners();
  }

  /** Others may have the execution by now. What has not begun needs not be told: it waits for the server's word. */
  presumeLost(): void {
    if (this.#stage === "waits") return;
    this.#tell(new RunLost("no heartbeat was answered for so long that others may have the execution by now"));
  }

  /** Calls the handler and says what the server is to be told; null: nothing, the execution is not this worker's any more. */
  async attempt(handler: DeclaredHandler): Promise<SettlementInput | null> {
    // Cancelled, or found to be lost, before it began.
    const ending = this.#aborted === null ? await this.#ending(handler) : GIVEN_UP;
    this.goesOn = ending === GIVEN_UP && this.#stage === "runs";
    this.#stage = "ended";
    const circumstances = { aborted: this.#aborted, told: this.#told, handler };
    const said = settlementOf(this.execution, ending, circumstances);
    const settlement = said instanceof Promise ? await said : said;
    if (settlement !== null && this.#hasMoreToSay) await this.#everythingSaid();
    return settlement;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#told !== null) this.#controller.abort(this.#told);
    }
    return this.#controller.signal;
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
    await new Promise<void>((resolve) => {
      this.#listeners ??= [];
      this.#listeners.push(resolve);
    });
  }

  #tell(reason: RunAborted): void {
    if (this.#told !== null) return;
    this.#told = reason;
    this.#controller?.abort(reason);
  }

  #tellListeners(): void {
    const listeners = this.#listeners ?? [];
    this.#listeners = null;
    for (const resolve of listeners) resolve();
  }

  #ending(handler: DeclaredHandler): Promise<Ending> {
    this.#stage = "runs";
    return new Promise((end) => {
      this.#giveUp = () => end(GIVEN_UP);
      this.returned = this.#call(handler, end);
    });
  }

  async #call(handler: DeclaredHandler, end: (ending: Ending) => void): Promise<void> {
    try {
      const { payload: given } = this.execution;
      const payload = handler.payload === undefined ? given : await conform(handler.payload, given, "payload");
      end({ kind: "returned", value: await handler.call(new RunView(factsOf(this.execution), payload, this)) });
    } catch (error) {
      end({ kind: "threw", error });
    }
  }

  async progress(fraction: number, message?: string): Promise<void> {
    if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`progress is from 0 to 1, not ${fraction}`);
    const said = message === undefined ? {} : { message: storableText(message, PROGRESS_MESSAGE_MAX) };
    this.#progress = { value: { fraction, ...said }, told: false };
    this.#heart.soon();
  }

  get log(): RunLog {
    this.#lines ??= this.#logs.open(this.execution);
    return this.#lines.log;
  }

  get #hasMoreToSay(): boolean {
    return this.#lines !== null || this.#progress?.told === false;
  }

  /** What comes after the answer would be refused, so the answer waits; but not for ever. */
  async #everythingSaid(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS_MAX);
    });
    await Promise.race([Promise.all([this.#lines?.flushed(), this.#progressTold()]), late]);
    clearTimeout(timer);
  }

  async #progressTold(): Promise<void> {
    while (this.#progress?.told === false) await this.heard();
  }
}
