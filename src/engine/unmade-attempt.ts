// Attempts that ended for reasons of this node's, and not by what their target did.

import type { AttemptResult } from "../core/attempt.ts";

const NOTHING_HEARD = { retryAfterMs: null, request: null, response: null, timings: null, result: null };

/** Its job was deleted while it waited to begin. */
export const NEVER_BEGUN: AttemptResult = {
  ...NOTHING_HEARD,
  outcome: "cancelled",
  error: { code: "cancelled", message: "its job was deleted before it began" },
  cause: null,
  doubtful: false,
};

/** A mistake of ours. */
export function broken(error: unknown): AttemptResult {
  return {
    ...NOTHING_HEARD,
    outcome: "failed",
    error: { code: "internal", message: error instanceof Error ? error.message : "the call could not be made" },
    cause: { kind: "network" },
    doubtful: true,
  };
}

export function stopped(result: AttemptResult): AttemptResult {
  return {
    ...result,
    outcome: "lost",
    cause: { kind: "lost" },
    error: { code: "lost", message: "the node was stopped during the call" },
  };
}
