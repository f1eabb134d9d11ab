import type { Execution } from "punctual/client";
import { numberText } from "../../ui/counted.ts";

/** Why it is as it is, in one line; empty where nothing is to be said. */
export function whyText({ state, reason, error, count, progress }: Execution): string {
  if (state === "skipped" && count > 1) return `${numberText(count)} instants: ${reason?.message ?? ""}`;
  if (state === "running") return progressText(progress) ?? "";
  // The attempts have a column of their own; what failed is the better use of one line.
  const [first, second] = state === "failed" ? [error, reason] : [reason, error];
  return first?.message ?? second?.message ?? "";
}

/** What a worker's handler said of how far it is. */
export function progressText(progress: Execution["progress"]): string | null {
  const said = readProgress(progress);
  if (said === null) return null;
  return [`${Math.round(said.fraction * 100)}%`, said.message].filter(Boolean).join(", ");
}

/** Anything may stand there; the client's workers write how far and what. */
export function readProgress(progress: Execution["progress"]): { fraction: number; message: string } | null {
  if (typeof progress !== "object" || progress === null || Array.isArray(progress)) return null;
  const { fraction, message } = progress;
  if (typeof fraction !== "number" || !(fraction >= 0 && fraction <= 1)) return null;
  return { fraction, message: typeof message === "string" ? message : "" };
}
