/**
 * Why a call cannot be made as its job is written. Trying again would give the same, so such an attempt is never
 * retried. The message never contains a filled-in value: it might be a secret.
 */
export class CallRefused extends Error {
  readonly code:
    | "template"
    | "unknown_secret"
    | "secrets_too_large"
    | "unknown_signing_key"
    | "command_not_found"
    | "command_not_executable"
    | "working_folder"
    | "user";

  constructor(code: CallRefused["code"], message: string) {
    super(message);
    this.name = "CallRefused";
    this.code = code;
  }
}

/** The vault could not be asked. That says nothing about the job, so the attempt may be made again. */
export class VaultFailed extends Error {
  constructor(cause: unknown) {
    super(`secrets or signing keys could not be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = "VaultFailed";
  }
}
