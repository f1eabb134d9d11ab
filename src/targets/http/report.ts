// From how an exchange ended to what the ledger says about the attempt. Three kinds of end must not be mixed up:
//
// - the target answered: its status decides, also when the rest of a failing answer got lost, and nothing is in doubt;
// - no answer, and a byte of the request may have left: the target may have acted, so the attempt is doubtful;
// - no answer, and nothing left: surely not called.

import { STATUS_CODES } from "node:http";
import type { Attempt } from "../../contract/execution.ts";
import type { HttpTarget } from "../../contract/target.ts";
import { type AttemptResult, matchesStatus } from "../../core/attempt.ts";
import type { AbortReason, Accepted } from "../port.ts";
import { jsonResult, keptAnswer, type RawAnswer, retryAfterMs } from "./answer.ts";
import { DialError } from "./dial.ts";
import type { ExchangeEnd } from "./exchange.ts";
import { describeNetworkError } from "./network-error.ts";
import type { Redaction } from "./redaction.ts";
import { CallRefused } from "./refusal.ts";

export interface ReportContext {
  target: Pick<HttpTarget, "successOn" | "completion" | "timeout" | "method" | "url">;
  request: Attempt["request"];
  redaction: Redaction;
  nowMs: number;
}

export function report(end: ExchangeEnd, context: ReportContext): AttemptResult | Accepted {
  const { answer, how } = end;
  const kept = answer && keptAnswer(answer, context.redaction);
  const seen = { request: context.request, response: kept, timings: rounded(end.timings) };
  if (how.kind === "aborted")
    return { ...failure("cancelled", null, how.reason, ABORTED[how.reason]), ...seen, doubtful: end.mayHaveLeft };
  if (
    answer &&
    !context.target.successOn.some((pattern) => matchesStatus(pattern, answer.status)) &&
    !isAccepted(answer, context)
  )
    return { ...badStatus(answer, context), ...seen };
  if (how.kind === "answered") return answered(answer!, context, seen);
  const doubtful = end.mayHaveLeft;
  if (how.kind === "timeout") return { ...timedOut(end, context), ...seen, doubtful };
  return { ...networkFailure(how.error, context.redaction), ...seen, doubtful };
}

/** An attempt that ended before there was an exchange: nothing was sent. */
export function reportNotSent(error: unknown, context: Pick<ReportContext, "request">): AttemptResult {
  const seen = { request: context.request, response: null, timings: null };
  if (error instanceof CallRefused) return { ...failure("failed", null, error.code, error.message), ...seen };
  // The store behind the vault is out of reach, or a key is missing: that may pass, so it counts as a network failure.
  const message = `secrets or signing keys could not be read: ${error instanceof Error ? error.message : error}`;
  return { ...failure("failed", { kind: "network" }, "vault_unavailable", message), ...seen };
}

/** An attempt that was called off before anything was sent. */
export function reportCalledOff(
  reason: AbortReason,
  context: Pick<ReportContext, "request">,
): AttemptResult {
  const seen = { request: context.request, response: null, timings: null };
  if (reason === "timeout")
    return {
      ...failure("timed_out", { kind: "timeout" }, "timeout", "the attempt's time was over before the call was sent"),
      ...seen,
    };
  return { ...failure("cancelled", null, reason, ABORTED[reason]), ...seen };
}

const ABORTED: Record<AbortReason, string> = {
  timeout: "the attempt's time was over",
  cancelled: "the execution was cancelled while the call was under way",
  claim_lost: "the node lost its claim on the execution while the call was under way",
  shutdown: "the node was shut down while the call was under way",
};

type Seen = Pick<AttemptResult, "request" | "response" | "timings">;
type Failure = Omit<AttemptResult, keyof Seen>;

function isAccepted(answer: RawAnswer, { target }: ReportContext): boolean {
  return target.completion === "callback" && answer.status === 202;
}

function answered(answer: RawAnswer, context: ReportContext, seen: Seen): AttemptResult | Accepted {
  if (isAccepted(answer, context)) return { outcome: "accepted", ...seen };
  const result = jsonResult(answer, seen.response!.body);
  return { outcome: "succeeded", error: null, cause: null, doubtful: false, retryAfterMs: null, result, ...seen };
}

function badStatus(answer: RawAnswer, context: ReportContext): Failure {
  const { status } = answer;
  const words = STATUS_CODES[status];
  const hint =
    status >= 300 && status < 400 ? "; redirects are not followed, so target.url must name the final address" : "";
  const message = `the target answered ${status}${words ? ` ${words}` : ""}${hint}`;
  const wait = retryAfterMs(answer.headers, context.nowMs);
  return { ...failure("failed", { kind: "status", status }, "http_status", message), retryAfterMs: wait };
}

function timedOut(end: ExchangeEnd, { target }: ReportContext): Failure {
  const missing = end.answer ? "the end of the answer" : end.mayHaveLeft ? "an answer" : "a connection";
  return failure(
    "timed_out",
    { kind: "timeout" },
    "timeout",
    `there was not ${missing} in time (target.timeout is ${target.timeout})`,
  );
}

function networkFailure(error: Error, redaction: Redaction): Failure {
  if (error instanceof DialError) {
    if (error.kind === "egress_denied") return failure("failed", null, "egress_denied", error.message);
    if (error.kind === "timeout") return failure("timed_out", { kind: "timeout" }, "timeout", error.message);
    return failure("failed", { kind: "network" }, "network", error.message);
  }
  return failure("failed", { kind: "network" }, "network", redaction.clean(describeNetworkError(error)));
}

function failure(
  outcome: AttemptResult["outcome"],
  cause: AttemptResult["cause"],
  code: string,
  message: string,
): Failure {
  return { outcome, error: { code, message }, cause, doubtful: false, retryAfterMs: null, result: null };
}

/** Tenths of a millisecond: more digits would be noise. */
function rounded(timings: ExchangeEnd["timings"]): NonNullable<Attempt["timings"]> {
  return {
    dnsMs: tenths(timings.dnsMs),
    connectMs: tenths(timings.connectMs),
    tlsMs: tenths(timings.tlsMs),
    firstByteMs: tenths(timings.firstByteMs),
    totalMs: tenths(timings.totalMs),
  };
}

const tenths = (ms: number) => Math.round(ms * 10) / 10;
