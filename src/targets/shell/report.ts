// From how a command ended to what the ledger says about the attempt. A command that ended by itself has answered, with its
// exit code. One that was called off while it ran may have had its effect or not: that is in doubt.

import type { AttemptResult } from "../../core/attempt.ts";
import type { AbortReason } from "../port.ts";
import { CallRefused, VaultFailed } from "../refusal.ts";
import type { CommandEnd } from "./command-run.ts";

const LAST_WORDS_MAX = 300;

export function report(end: CommandEnd, successOn: readonly number[]): AttemptResult {
  if (end.kind === "called_off") {
    const when = `while the command ran${end.survived ? ", and some of its processes could not be killed" : ""}`;
    return { ...reportCalledOff(end.reason, when), doubtful: true };
  }
  const { exitCode, signal } = end;
  const result = { exitCode, signal };
  if (exitCode !== null && successOn.includes(exitCode))
    return { ...NOTHING, outcome: "succeeded", error: null, cause: null, result };
  const how = exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`;
  const message = `the command ${how}${lastWords(end.lastError)}`;
  const code = exitCode === null ? "signal" : "exit_code";
  return { ...NOTHING, outcome: "failed", error: { code, message }, cause: { kind: "handler" }, result };
}

/** The command did not run. */
export function reportNotStarted(error: unknown): AttemptResult {
  if (error instanceof CallRefused)
    return { ...NOTHING, outcome: "failed", error: { code: error.code, message: error.message }, cause: null };
  const code = error instanceof VaultFailed ? "vault_unavailable" : "not_started";
  const why = error instanceof Error ? error.message : String(error);
  const message = error instanceof VaultFailed ? why : `the command could not be started: ${why}`;
  // The machine had no room for another process, or the database was away. Like a call that found no connection it may be
  // made again, also at most once: nothing has happened yet.
  return { ...NOTHING, outcome: "failed", error: { code, message }, cause: { kind: "network" } };
}

export function reportCalledOff(reason: AbortReason, when: string): AttemptResult {
  const error = { code: reason, message: `${CALLED_OFF[reason]} ${when}` };
  return reason === "timeout"
    ? { ...NOTHING, outcome: "timed_out", error, cause: { kind: "timeout" } }
    : { ...NOTHING, outcome: "cancelled", error, cause: null };
}

const CALLED_OFF: Record<AbortReason, string> = {
  timeout: "the attempt's time was over",
  cancelled: "the execution was cancelled",
  claim_lost: "the node lost its claim on the execution",
  shutdown: "the node was shut down",
};

const NOTHING = {
  doubtful: false,
  retryAfterMs: null,
  request: null,
  response: null,
  timings: null,
  result: null,
} as const;

/** What it said on its standard error before it ended is most often why. */
function lastWords(line: string | null): string {
  if (line === null) return "";
  return `: ${line.length <= LAST_WORDS_MAX ? line : `${line.slice(0, LAST_WORDS_MAX)}…`}`;
}
