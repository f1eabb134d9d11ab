import type { ExecutionState } from "../contract/execution.ts";

export type Move = "claim" | "succeed" | "retry" | "fail" | "cancel" | "skip" | "doubt";

/**
 * Every legal move of an execution. docs/states.md is printed from this table, and the tests compare the SQL's check
 * constraints with it.
 */
export const MOVES = {
  scheduled: { claim: "running", cancel: "cancelled", skip: "skipped" },
  running: { succeed: "succeeded", retry: "retrying", fail: "failed", cancel: "cancelled", doubt: "unknown" },
  retrying: { claim: "running", fail: "failed", cancel: "cancelled" },
  succeeded: {},
  failed: {},
  cancelled: {},
  skipped: {},
  unknown: {},
} as const satisfies Record<ExecutionState, Partial<Record<Move, ExecutionState>>>;

export type FinalState = "succeeded" | "failed" | "cancelled" | "skipped" | "unknown";

/** The states in which nothing more can happen: those without a move. */
export const FINAL_STATES = (Object.keys(MOVES) as ExecutionState[]).filter(
  (state): state is FinalState => Object.keys(MOVES[state]).length === 0,
);

export function isFinal(state: ExecutionState): state is FinalState {
  return (FINAL_STATES as readonly ExecutionState[]).includes(state);
}
