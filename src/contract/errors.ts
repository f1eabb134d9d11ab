// Every error a person can meet comes from this catalogue. The code is stable and documented in docs/errors.md
// (a test compares the two); the message of each single error names the thing, the value seen and the way out.

export const ERRORS = {
  validation_failed: { status: 400, summary: "The request has one or more fields that cannot be accepted." },
  malformed_json: { status: 400, summary: "The body is not valid JSON." },
  invalid_cursor: { status: 400, summary: "The page cursor was not made by this list." },
  project_required: { status: 400, summary: "The credentials may act in several projects; none was named." },
  unauthenticated: { status: 401, summary: "No key, or one that is not valid." },
  forbidden: { status: 403, summary: "The key is valid but may not do this." },
  not_found: { status: 404, summary: "There is no such thing in this project." },
  method_not_allowed: { status: 405, summary: "The route exists, but not with this method." },
  name_taken: { status: 409, summary: "Another thing of the same kind has that name." },
  wrong_source: { status: 409, summary: "The job belongs to another declaration, or to none." },
  wrong_state: { status: 409, summary: "The thing is in a state in which this cannot be done." },
  stale_callback: { status: 409, summary: "The attempt this callback belongs to is over." },
  count_changed: { status: 409, summary: "A bulk operation matched another number than expected." },
  limit_reached: { status: 409, summary: "The project has as many of these as it may have." },
  request_in_progress: { status: 409, summary: "A request with the same idempotency key is still being worked on." },
  version_mismatch: { status: 412, summary: "The job was changed since the version named by If-Match." },
  body_too_large: { status: 413, summary: "The body, or one payload in it, is over its limit." },
  unsupported_media_type: { status: 415, summary: "The route takes application/json." },
  idempotency_key_reused: { status: 422, summary: "The idempotency key was used before with another request." },
  rate_limited: { status: 429, summary: "Too many requests; Retry-After says when to come again." },
  internal: { status: 500, summary: "Something failed inside Punctual; the log has it under the request id." },
  unavailable: {
    status: 503,
    summary: "The database or an identity provider cannot be reached, or the node is overloaded; try again.",
  },
} as const satisfies Record<string, { status: number; summary: string }>;

const PROBLEMS_TOLD_MAX = 100;
/** Of a path or message, which may quote what a client sent. */
const TOLD_LENGTH_MAX = 1_000;

export type ErrorCode = keyof typeof ERRORS;

/** One thing that is wrong with one field. `code` is stable too: `use_secret`, `never_fires`, `unknown_field`… */
export interface Problem {
  path: string;
  code: string;
  message: string;
  value?: unknown;
}

export class PunctualError extends Error {
  readonly code: ErrorCode;
  readonly details: Problem[];
  /** When it makes sense to ask again, where that is known. */
  readonly retryAfterMs: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Problem[]; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "PunctualError";
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Of very many problems the first are told: an answer must not grow larger than what was asked. */
  static validation(problems: Problem[]): PunctualError {
    const told = problems.slice(0, PROBLEMS_TOLD_MAX).map(shortened);
    const [first] = told;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    const message = first ? `${first.path}: ${first.message}${more}` : "invalid request";
    return new PunctualError("validation_failed", message, { details: told });
  }
}

function shortened(problem: Problem): Problem {
  return { ...problem, path: cut(problem.path), message: cut(problem.message) };
}

function cut(text: string): string {
  return text.length > TOLD_LENGTH_MAX ? `${text.slice(0, TOLD_LENGTH_MAX).toWellFormed()}…` : text;
}
