import { ExpectedError } from "./expected-error.ts";

/** Something about the call itself cannot be right: told like any expected error, with an exit code of its own. */
export class UsageError extends ExpectedError {}
