import { createHash } from "node:crypto";
import type { AttemptError } from "../contract/execution.ts";

/**
 * What dead letters of one cause have in common: the job, the kind of error, and its message without the parts that
 * change from one to the next (numbers, ids).
 */
export function errorFingerprint(jobId: string, error: AttemptError | null): string {
  const message = (error?.message ?? "").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, "#").replace(/\d+/g, "#");
  return createHash("sha256")
    .update(`${jobId} ${error?.code ?? ""} ${message}`)
    .digest("hex")
    .slice(0, 16);
}
