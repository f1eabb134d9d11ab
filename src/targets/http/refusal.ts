/**
 * Why a call cannot be made as its job is written. Trying again would give the same, so such an attempt is never
 * retried. The message never contains a filled-in value: it might be a secret.
 */
export class CallRefused extends Error {
  readonly code: "template" | "unknown_secret" | "unknown_signing_key";

  constructor(code: CallRefused["code"], message: string) {
    super(message);
    this.name = "CallRefused";
    this.code = code;
  }
}
