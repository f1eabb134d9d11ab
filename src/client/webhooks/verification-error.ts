export type WebhookRefusal =
  | "missing_header"
  | "invalid_timestamp"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "no_matching_signature"
  | "body_too_large";

/** The request is not a call that Punctual made just now, or not as it made it. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, message: string) {
    super(message);
    this.name = "WebhookVerificationError";
    this.code = code;
  }

  /** What to answer with. */
  get status(): number {
    return this.code === "body_too_large" ? 413 : 401;
  }
}
