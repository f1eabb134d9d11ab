import type { Attempt, AttemptError } from "../../contract/execution.ts";

/** As it is kept: with a mark of its own if its callback ended it, which is nobody's business outside. */
export type StoredAttempt = Attempt & { callback?: boolean };

/** What is null is left out: there is one for every execution, and of most there is little to tell. `error: true` is that of the execution. */
export type KeptAttempt = Pick<StoredAttempt, "number" | "outcome" | "jobVersion" | "startedAt"> &
  Partial<Omit<StoredAttempt, "error"> & { error: AttemptError | true }>;

/** The same of an attempt of which the rest stands in its execution's row. */
export type Exchange = Partial<{ [part in "request" | "response" | "timings"]: Attempt[part] | undefined }>;

/** `error`: that of its execution, if that is written with it. */
export function attemptDetail(attempt: StoredAttempt, error: AttemptError | null = null): string {
  const { number, outcome, jobVersion, startedAt } = attempt;
  const kept: KeptAttempt = { number, outcome, jobVersion, startedAt };
  if (attempt.finishedAt !== null) kept.finishedAt = attempt.finishedAt;
  if (attempt.error !== null) kept.error = attempt.error === error || attempt.error;
  if (attempt.node !== null) kept.node = attempt.node;
  if (attempt.worker !== null) kept.worker = attempt.worker;
  if (attempt.request !== null) kept.request = attempt.request;
  if (attempt.response !== null) kept.response = attempt.response;
  if (attempt.timings !== null) kept.timings = attempt.timings;
  if (attempt.callback) kept.callback = true;
  return JSON.stringify(kept);
}

/** What its execution's row does not say of one that succeeded at once: what was sent and received. Null if that is nothing. */
export function exchangeDetail({ request, response, timings }: StoredAttempt): string | null {
  if (request === null && response === null && timings === null) return null;
  return JSON.stringify({
    request: request ?? undefined,
    response: response ?? undefined,
    timings: timings ?? undefined,
  } satisfies Exchange);
}

/** Whole again, and in the order of the contract: the database keeps none. */
export function toAttempt(kept: KeptAttempt, error: AttemptError | null): Attempt {
  return {
    number: kept.number,
    outcome: kept.outcome,
    jobVersion: kept.jobVersion,
    startedAt: kept.startedAt,
    finishedAt: kept.finishedAt ?? null,
    error: kept.error === true ? error : (kept.error ?? null),
    node: kept.node ?? null,
    worker: kept.worker ?? null,
    request: kept.request ?? null,
    response: kept.response ?? null,
    timings: kept.timings ?? null,
  };
}
