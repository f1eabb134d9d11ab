// What a person can be told about the embedded database. The code is stable; the message names the thing, the value
// seen and the way out.
export type EmbeddedErrorCode =
  | "embedded_unsupported"
  | "embedded_no_binaries"
  | "embedded_wrong_version"
  | "embedded_unreachable"
  | "embedded_foreign_folder"
  | "embedded_start_failed";

export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError";
  readonly code: EmbeddedErrorCode;

  constructor(code: EmbeddedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
