// Handlers in this very process: the attempt is a call of a function.
//
// A function cannot be ended from outside. When its time is over, or its execution was cancelled, its signal aborts and the
// attempt ends at once, whatever the function does; so a promise that never settles holds no execution. But it goes on
// using this process, and its handler's slot stays taken until it really returns: a function that ignores its signal slows
// its own handler down, and can be in the way only as often as the handler's concurrency allows. What it still does then,
// nobody will hear: an attempt that was aborted after its function had begun is doubtful.
//
// Many functions end in a moment and ask for nothing, thousands of them a second. So what a run may need and seldom does (its
// signal, its log) is made when it is first asked for.

import {
  type RunAborted,
  RunCancelled,
  RunLost,
  RunTimedOut,
  WorkerStopped,
} from "../../client/worker/abort-reason.ts";
import { type Ending, settlementOf } from "../../client/worker/ending.ts";
import type { DeclaredHandler } from "../../client/worker/handler.ts";
import type { RunLog } from "../../client/worker/run.ts";
import { type RunFacts, type RunSource, RunView } from "../../client/worker/run-view.ts";
import { conform } from "../../client/worker/schema.ts";
import { asFields, storableText } from "../../client/worker/storable.ts";
import { parseDuration } from "../../contract/duration.ts";
import type { Json } from "../../contract/json.ts";
import { LOG_LEVELS, type LogLevel } from "../../contract/log.ts";
import { LOG_FIELDS_MAX } from "../../contract/log-limits.ts";
import type { WorkerTarget } from "../../contract/target.ts";
import type { AttemptResult } from "../../core/attempt.ts";
import { handlerLane } from "../../core/lane.ts";
import type { AttemptSignal } from "../port/attempt-abort.ts";
import type { AbortReason, Call, Reporter, TargetRunner } from "../port.ts";

const PROGRESS_MESSAGE_MAX = 1_000;
const GIVEN_UP: Ending = { kind: "given_up" };

type FunctionCall = Call<WorkerTarget>;

export interface FunctionTargetOptions {
  /** Keeps the slot of a function that has not returned although its attempt is over. */
  slots: { take(lane: string): void; give(lane: string): void };
  onStuck?: (call: FunctionCall) => void;
}

export class FunctionTargetRunner implements TargetRunner<WorkerTarget> {
  readonly #handlers: ReadonlyMap<string, DeclaredHandler>;
  readonly #options: FunctionTargetOptions;

  /** Handlers by the name that stands in the target. */
  constructor(handlers: ReadonlyMap<string, DeclaredHandler>, options: FunctionTargetOptions) {
    this.#handlers = handlers;
    this.#options = options;
  }

  async attempt(call: FunctionCall, signal: AttemptSignal): Promise<AttemptResult> {
    const handler = this.#handlers.get(call.job.target.handler);
    if (handler === undefined)
      throw new Error(`this process has no handler "${call.job.target.handler}" and should not have claimed it`);
    const work = new HandlerCall(handler, call);
    const ending = await work.end(signal);
    if (ending === GIVEN_UP && work.returned !== null) this.#keepSlot(call, work.returned);
    const { aborted } = work;
    const said = settlementOf({ id: call.executionId, token: "" }, ending, { aborted, told: aborted, handler });
    return toResult(said instanceof Promise ? await said : said, work);
  }

  async close(): Promise<void> {}

  #keepSlot(call: FunctionCall, returned: Promise<Ending>): void {
    const lane = handlerLane(call.job.target.handler);
    const { slots, onStuck } = this.#options;
    slots.take(lane);
    onStuck?.(call);
    void returned.then(() => slots.give(lane));
  }
}

class HandlerCall implements RunSource {
  readonly handler: DeclaredHandler;
  readonly #call: FunctionCall;
  readonly #conversation: Conversation;
  /** Of the signal that the function sees, once it has asked for it. */
  #controller: AbortController | null = null;
  /** Why the attempt is over, whatever the function does; null while it may go on. */
  aborted: RunAborted | null = null;
  /** The function itself was called, and may have done something. */
  begun = false;
  /** Settles when the function has returned, and never rejects; null if it was not to be called at all. */
  returned: Promise<Ending> | null = null;

  constructor(handler: DeclaredHandler, call: FunctionCall) {
    this.handler = handler;
    this.#call = call;
    this.#conversation = new Conversation(call.reporter);
  }

  /** Calls the function and resolves when it has returned or its attempt is aborted. */
  end(signal: AttemptSignal): Promise<Ending> {
    return new Promise((resolve) => {
      const onAbort = () => {
        this.aborted = reasonOf(signal.reason as AbortReason, this.#call);
        this.#controller?.abort(this.aborted);
        this.#conversation.end();
        resolve(GIVEN_UP);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort);
      this.returned = this.#make();
      void this.returned.then((ending) => {
        signal.removeEventListener("abort", onAbort);
        this.#conversation.end();
        resolve(ending);
      });
    });
  }

  async #make(): Promise<Ending> {
    const { payload: schema } = this.handler;
    const { payload: given } = this.#call;
    try {
      const payload = schema === undefined ? given : await conform(schema, given, "payload");
      // A schema may take its time. An attempt that is over by then may have been given to somebody else.
      if (this.aborted !== null) return GIVEN_UP;
      this.begun = true;
      return {
        kind: "returned",
        value: await this.handler.call(new RunView(factsOf(this.#call), payload, this)),
      };
    } catch (error) {
      return { kind: "threw", error };
    }
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.aborted !== null) this.#controller.abort(this.aborted);
    }
    return this.#controller.signal;
  }

  get log(): RunLog {
    return this.#conversation.log;
  }

  progress(fraction: number, message?: string): Promise<void> {
    return this.#conversation.progress(fraction, message);
  }
}

/** What the handler says; nothing more once its attempt is over. */
class Conversation {
  readonly #reporter: Reporter;
  #log: RunLog | null = null;
  #ended = false;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  get log(): RunLog {
    this.#log ??= Object.fromEntries(
      LOG_LEVELS.map((level) => [
        level,
        (message: string, fields?: Record<string, unknown>) => this.#say(level, message, fields),
      ]),
    ) as unknown as RunLog;
    return this.#log;
  }

  async progress(fraction: number, message?: string): Promise<void> {
    if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`progress is from 0 to 1, not ${fraction}`);
    const said = message === undefined ? {} : { message: storableText(message, PROGRESS_MESSAGE_MAX) };
    if (!this.#ended) this.#reporter.progress({ fraction, ...said });
  }

  end(): void {
    this.#ended = true;
  }

  #say(level: LogLevel, message: string, fields: Record<string, unknown> | undefined): void {
    if (!this.#ended) this.#reporter.log(level, String(message), asFields(fields, LOG_FIELDS_MAX) ?? undefined);
  }
}

function factsOf(call: FunctionCall): RunFacts {
  return {
    id: call.executionId,
    attempt: call.attempt,
    job: { id: call.jobId, name: call.job.name, version: call.jobVersion },
    handler: call.job.target.handler,
    scheduledAt: call.scheduledAt,
    deadline: new Date(call.startedAt.getTime() + parseDuration(call.job.timeout)),
    idempotencyKey: call.rootId,
    traceparent: call.traceparent,
    trigger: call.trigger,
  };
}

function reasonOf(reason: AbortReason, call: FunctionCall): RunAborted {
  switch (reason) {
    case "timeout":
      return new RunTimedOut(parseDuration(call.job.timeout));
    case "cancelled":
      return new RunCancelled();
    case "shutdown":
      return new WorkerStopped();
    case "claim_lost":
      return new RunLost("the execution was cancelled, or belongs to somebody else by now");
  }
}

function toResult(settlement: Awaited<ReturnType<typeof settlementOf>>, work: HandlerCall): AttemptResult {
  const { aborted } = work;
  if (settlement?.outcome === "succeeded") return success((settlement.result ?? null) as Json);
  const doubtful = work.begun && aborted !== null;
  const nothing = { doubtful, retryAfterMs: null, request: null, response: null, timings: null, result: null };
  // Nobody will ask: the execution is not ours any more.
  if (settlement === null) return { ...nothing, outcome: "cancelled", error: null, cause: null };
  const error = (settlement.error ?? null) as AttemptResult["error"];
  if (aborted?.code === "timeout" && error?.code === "timeout")
    return { ...nothing, outcome: "timed_out", error, cause: { kind: "timeout" } };
  const { outcome, retryable, retryAfter } = settlement;
  return {
    ...nothing,
    outcome,
    error,
    cause: retryable === false ? null : { kind: "handler" },
    retryAfterMs: typeof retryAfter === "string" ? parseDuration(retryAfter) : null,
  };
}

function success(result: Json): AttemptResult {
  return {
    outcome: "succeeded",
    error: null,
    cause: null,
    doubtful: false,
    retryAfterMs: null,
    request: null,
    response: null,
    timings: null,
    result,
  };
}
