import type { CallbackReport } from "../contract/callback.ts";

/** `accepted`: it ended the attempt; `repeated`: it had already; `stale`: the attempt is over, or never was. */
export type CompleteCallback = (
  executionId: string,
  claim: string,
  report: CallbackReport,
) => Promise<"accepted" | "repeated" | "stale">;
