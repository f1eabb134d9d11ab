import type { ErrorCode, Problem } from "../contract/errors.ts";

export interface ApiFailure {
  status: number;
  code: ErrorCode | (string & {});
  /** The server's own words. */
  reason: string;
  details: Problem[];
  requestId: string | null;
  retryAfterMs: number | null;
}

/** The server answered, and refused. `code` is stable: docs/errors.md has them all. */
export class PunctualApiError extends Error implements ApiFailure {
  readonly status: number;
  /** Servers newer than this client may know more codes. */
  readonly code: ErrorCode | (string & {});
  readonly reason: string;
  /** What is wrong with which field. */
  readonly details: Problem[];
  /** Under which the server's log has it. */
  readonly requestId: string | null;
  /** When the server asks to be called again. */
  readonly retryAfterMs: number | null;

  constructor(call: string, failure: ApiFailure) {
    super(`${call} was answered with ${failure.status} ${failure.code}: ${failure.reason}`);
    this.name = "PunctualApiError";
    this.status = failure.status;
    this.code = failure.code;
    this.reason = failure.reason;
    this.details = failure.details;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs;
  }
}

/** There was no answer, so it is not known whether the server did it; `cause` says what happened instead. */
export class PunctualConnectionError extends Error {
  constructor(call: string, problem: string, options: { cause?: unknown } = {}) {
    super(`${call} got no answer: ${problem}`, options);
    this.name = "PunctualConnectionError";
  }
}
