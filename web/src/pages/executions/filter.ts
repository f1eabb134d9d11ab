import type { Execution, ExecutionState } from "punctual/client";
import { present } from "../../ui/search-values.ts";
import { type ExecutionsSearch, isWindow, WINDOWS } from "./search.ts";

/** What the server is asked for: lists, counts and bulk actions take the same. */
export interface Filter {
  state?: ExecutionState;
  jobId?: string;
  trigger?: Execution["trigger"];
  tag?: string;
  from?: string;
  to?: string;
}

/** A window such as "the last hour" ends at the moment it is asked for, and stays what it is while it is looked at. */
export function filterOf(search: ExecutionsSearch, jobId: string | undefined, nowMs: number): Filter {
  const { state, trigger, tag, from, to } = search;
  const since = isWindow(from) ? new Date(nowMs - WINDOWS[from].ms).toISOString() : from;
  return present({ state, jobId, trigger, tag, from: since, to });
}

const FINAL: readonly ExecutionState[] = ["succeeded", "failed", "cancelled", "skipped", "unknown"];

export function isFinal(state: ExecutionState): boolean {
  return FINAL.includes(state);
}

/** A stretch of skipped instants stands for many, and cannot be run again as one. */
export function canRetry({ state, count }: Pick<Execution, "state" | "count">): boolean {
  return state === "retrying" || (isFinal(state) && count === 1);
}

export function canCancel({ state }: Pick<Execution, "state">): boolean {
  return !isFinal(state);
}
