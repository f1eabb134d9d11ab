// Handlers in this very process: the attempt is a call of a function.
//
// A function cannot be ended from outside. When its time is over, or its execution was cancelled, its signal aborts and the
// attempt ends at once, whatever the function does; so a promise that never settles holds no execution. But it goes on
// using this process, and its handler's slot stays taken until it really returns: a function that ignores its signal slows
// its own handler down, and can be in the way only as often as the handler's concurrency allows. What it still does then,
// nobody will hear: an attempt that was aborted after its function had begun is doubtful.

import {
  type RunAborted,
  RunCancelled,
  RunLost,
  RunTimedOut,
  WorkerStopped,
} from "../../client/worker/abort-reason.ts";
import { type Ending, settlementOf } from "../../client/worker/ending.ts";
import type { DeclaredHandler } from "../../client/worker/handler.ts";
import type { Run, RunLog } from "../../client/worker/run.ts";
import { conform } from "../../client/worker/schema.ts";
import { asFields, storableText } from "../../client/worker/storable.ts";
import { parseDuration } from "../../contract/duration.ts";
import type { Json } from "../../contract/json.ts";
import { LOG_LEVELS, type LogLevel } from "../../contract/log.ts";
import { LOG_FIELDS_MAX } from "../../contract/log-limits.ts";
import type { WorkerTarget } from "../../contract/target.ts";
import type { AttemptResult } from "../../core/attempt.ts";
import { handlerLane } from "../../core/lane.ts";
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

  async attempt(call: FunctionCall, signal: AbortSignal): Promise<AttemptResult> {
    const handler = this.#handlers.get(call.job.target.handler);
    if (handler === undefined)
      throw new Error(`this process has no handler "${call.job.target.handler}" and should not have claimed it`);
    const aborting = new AbortController();
    const aborted = whenAborted(signal, () => aborting.abort(reasonOf(signal.reason as AbortReason, call)));
    const work = new HandlerCall(handler);
    const ending = signal.aborted ? GIVEN_UP : await this.#call(work, call, aborting.signal, aborted.happened);
    aborted.forget();
    const result = await toResult(call, ending, handler, aborting.signal);
    return { ...result, doubtful: work.begun && aborting.signal.aborted && result.outcome !== "succeeded" };
  }

  async close(): Promise<void> {}

  async #call(work: HandlerCall, call: FunctionCall, signal: AbortSignal, aborted: Promise<Ending>): Promise<Ending> {
    const conversation = new Conversation(call.reporter);
    const called = work.make(makeRun(call, signal, conversation), call.payload, signal);
    const ending = await Promise.race([called, aborted]);
    conversation.end();
    if (ending === GIVEN_UP) this.#keepSlot(call, called);
    return ending;
  }

  #keepSlot(call: FunctionCall, called: Promise<Ending>): void {
    const lane = handlerLane(call.job.target.handler);
    const { slots, onStuck } = this.#options;
    slots.take(lane);
    onStuck?.(call);
    void called.then(() => slots.give(lane));
  }
}

class HandlerCall {
  readonly #handler: DeclaredHandler;
  /** The function itself was called, and may have done something. */
  begun = false;

  constructor(handler: DeclaredHandler) {
    this.#handler = handler;
  }

  /** Never rejects. */
  async make(run: (payload: unknown) => Run<unknown>, given: Json, signal: AbortSignal): Promise<Ending> {
    const schema = this.#handler.payload;
    try {
      const payload = schema === undefined ? given : await conform(schema, given, "payload");
      // A schema may take its time. An attempt that is over by then may have been given to somebody else.
      if (signal.aborted) return GIVEN_UP;
      this.begun = true;
      return { kind: "returned", value: await this.#handler.call(run(payload) as Run<never>) };
    } catch (error) {
      return { kind: "threw", error };
    }
  }
}

function makeRun(call: FunctionCall, signal: AbortSignal, conversation: Conversation) {
  return (payload: unknown): Run<unknown> => ({
    id: call.executionId,
    attempt: call.attempt,
    payload,
    job: { id: call.jobId, name: call.job.name, version: call.jobVersion },
    handler: call.job.target.handler,
    scheduledAt: call.scheduledAt,
    deadline: new Date(call.startedAt.getTime() + parseDuration(call.job.timeout)),
    idempotencyKey: call.rootId,
    traceparent: call.traceparent,
    trigger: call.trigger,
    signal,
    log: conversation.log,
    progress: (fraction, message) => conversation.progress(fraction, message),
  });
}

/** What the handler says; nothing more once its attempt is over. */
class Conversation {
  readonly #reporter: Reporter;
  readonly log: RunLog;
  #ended = false;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
    const say = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
      if (!this.#ended) reporter.log(level, String(message), asFields(fields, LOG_FIELDS_MAX) ?? undefined);
    };
    this.log = Object.fromEntries(LOG_LEVELS.map((level) => [level, say(level)])) as unknown as RunLog;
  }

  async progress(fraction: number, message?: string): Promise<void> {
    if (!(fraction >= 0 && fraction <= 1)) throw new RangeError(`progress is from 0 to 1, not ${fraction}`);
    const said = message === undefined ? {} : { message: storableText(message, PROGRESS_MESSAGE_MAX) };
    if (!this.#ended) this.#reporter.progress({ fraction, ...said });
  }

  end(): void {
    this.#ended = true;
  }
}

function whenAborted(signal: AbortSignal, tell: () => void): { happened: Promise<Ending>; forget: () => void } {
  let forget = () => {};
  const happened = new Promise<Ending>((resolve) => {
    const onAbort = () => {
      tell();
      resolve(GIVEN_UP);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    forget = () => signal.removeEventListener("abort", onAbort);
  });
  return { happened, forget: () => forget() };
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

async function toResult(
  call: FunctionCall,
  ending: Ending,
  handler: DeclaredHandler,
  signal: AbortSignal,
): Promise<Omit<AttemptResult, "doubtful">> {
  const aborted = signal.aborted ? (signal.reason as RunAborted) : null;
  const said = await settlementOf({ id: call.executionId, token: "" }, ending, { aborted, told: aborted, handler });
  const nothing = { retryAfterMs: null, request: null, response: null, timings: null, result: null };
  // Nobody will ask: the execution is not ours any more.
  if (said === null) return { ...nothing, outcome: "cancelled", error: null, cause: null };
  const error = (said.error ?? null) as AttemptResult["error"];
  if (said.outcome === "succeeded")
    return {
      ...nothing,
      outcome: "succeeded",
      error: null,
      cause: null,
      result: (said.result ?? null) as Json,
    };
  if (aborted?.code === "timeout" && error?.code === "timeout")
    return { ...nothing, outcome: "timed_out", error, cause: { kind: "timeout" } };
  return {
    ...nothing,
    outcome: said.outcome,
    error,
    cause: said.retryable === false ? null : { kind: "handler" },
    retryAfterMs: typeof said.retryAfter === "string" ? parseDuration(said.retryAfter) : null,
  };
}
