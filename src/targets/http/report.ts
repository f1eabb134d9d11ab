// From how an exchange ended to what the ledger says about the attempt. Three kinds of end must not be mixed up:
//
// - the target answered: its status decides, also when the rest of a failing answer got lost, and nothing is in doubt;
// - no answer, and a byte of the request may have left: the target may have acted, so the attempt is doubtful;
// - no answer, and nothing left: surely not called.

import { STATUS_CODES } from "node:http";
import type { Attempt } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import type { HttpTarget } from "../../contract/target.ts";
import { type AttemptResult, matchesStatus } from "../../core/attempt.ts";
import type { AbortReason, Accepted } from "../port.ts";
import type { Redaction } from "../redaction.ts";
import { CallRefused, VaultFailed } from "../refusal.ts";
import { jsonResult, keptAnswer, type RawAnswer, retryAfterMs } from "./answer.ts";
import { NotAnAnswer } from "./answer-reader.ts";
import { ClosedEarly } from "./connection.ts";
import { DialError } from "./dial.ts";
import type { ExchangeEnd } from "./exchange.ts";
import { describeNetworkError } from "./network-error.ts";

export interface ReportContext {
  target: Pick<HttpTarget, "successOn" | "completion" | "timeout">;
  request: Attempt["request"];
  redaction: Redaction;
  nowMs: () => number;
}

export function report(end: ExchangeEnd, context: ReportContext): AttemptResult | Accepted {
  const { answer, how } = end;
  const response = answer && keptAnswer(answer, context.redaction);
  const seen = { request: context.request, response, timings: end.timings };
  const doubtful = end.mayHaveLeft;
  if (how.kind === "aborted")
    return { ...failure("cancelled", null, how.reason, ABORTED[how.reason]), ...seen, doubtful };
  if (answer && isAccepted(answer, context)) return { outcome: "accepted", ...seen };
  if (answer && !isSuccess(answer, context)) return { ...badStatus(answer, context), ...seen };
  if (answer && how.kind === "answered") return success(seen, jsonResult(answer, response!.body));
  if (how.kind === "timeout") return { ...timedOut(end, how.of, context), ...seen, doubtful };
  const error = how.kind === "failed" ? how.error : new Error("the exchange ended without an answer");
  return { ...networkFailure(error), ...seen, doubtful };
}

/** An attempt that ended before there was an exchange: nothing was sent. */
export function reportNotSent(error: unknown, request: Attempt["request"]): AttemptResult {
  const seen = { request, response: null, timings: null };
  if (error instanceof VaultFailed)
    return { ...failure("failed", { kind: "network" }, "vault_unavailable", error.message), ...seen };
  if (error instanceof CallRefused) return { ...failure("failed", null, error.code, error.message), ...seen };
  return { ...failure("failed", null, "template", `the request cannot be built: ${error}`), ...seen };
}

/** An attempt that was called off before anything was sent. */
export function reportCalledOff(reason: AbortReason, request: Attempt["request"]): AttemptResult {
  const seen = { request, response: null, timings: null };
  if (reason !== "timeout") return { ...failure("cancelled", null, reason, ABORTED[reason]), ...seen };
  return {
    ...failure("timed_out", { kind: "timeout" }, "timeout", `${ABORTED.timeout} before the call was sent`),
    ...seen,
  };
}

const ABORTED: Record<AbortReason, string> = {
  timeout: "the attempt's time was over",
  cancelled: "the execution was cancelled while the call was under way",
  claim_lost: "the node lost its claim on the execution while the call was under way",
  shutdown: "the node was shut down while the call was under way",
};

type Seen = Pick<AttemptResult, "request" | "response" | "timings">;
type Failure = Omit<AttemptResult, keyof Seen>;

/** Written out: it is made for nearly every call, and putting it together from parts takes several times as long. */
function success({ request, response, timings }: Seen, result: Json): AttemptResult {
  return {
    outcome: "succeeded",
    error: null,
    cause: null,
    doubtful: false,
    retryAfterMs: null,
    request,
    response,
    timings,
    result,
  };
}

/** The target took the work over. Its status says so; what happens to the rest of the answer does not matter. */
function isAccepted(answer: RawAnswer, { target }: ReportContext): boolean {
  return target.completion === "callback" && answer.status === 202;
}

function isSuccess(answer: RawAnswer, { target }: ReportContext): boolean {
  return target.successOn.some((pattern) => matchesStatus(pattern, answer.status));
}

function badStatus(answer: RawAnswer, context: ReportContext): Failure {
  const { status } = answer;
  const words = STATUS_CODES[status];
  const hint =
    status >= 300 && status < 400 ? "; redirects are not followed, so target.url must name the final address" : "";
  const message = `the target answered ${status}${words ? ` ${words}` : ""}${hint}`;
  const wait = retryAfterMs(answer.headers, context.nowMs());
  return { ...failure("failed", { kind: "status", status }, "http_status", message), retryAfterMs: wait };
}

function timedOut(end: ExchangeEnd, of: "exchange" | "attempt", { target }: ReportContext): Failure {
  const missing = end.answer ? "end of the answer" : end.mayHaveLeft ? "answer" : "connection";
  const limit = of === "exchange" ? `within target.timeout (${target.timeout})` : "before the attempt's time was over";
  return failure("timed_out", { kind: "timeout" }, "timeout", `no ${missing} ${limit}`);
}

function networkFailure(error: Error): Failure {
  if (error instanceof DialError) return dialFailure(error);
  return failure("failed", { kind: "network" }, "network", describeFailure(error));
}

/** Why there was no answer, in words that give no address away. */
export function describeFailure(error: Error): string {
  const isForPeople = error instanceof DialError || error instanceof NotAnAnswer || error instanceof ClosedEarly;
  return isForPeople ? error.message : describeNetworkError(error);
}

function dialFailure({ kind, message }: DialError): Failure {
  if (kind === "egress_denied") return failure("failed", null, kind, message);
  return kind === "timeout"
    ? failure("timed_out", { kind }, kind, message)
    : failure("failed", { kind }, kind, message);
}

function failure(
  outcome: AttemptResult["outcome"],
  cause: AttemptResult["cause"],
  code: string,
  message: string,
): Failure {
  return { outcome, error: { code, message }, cause, doubtful: false, retryAfterMs: null, result: null };
}
