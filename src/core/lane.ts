import type { Target } from "../contract/target.ts";

/**
 * What executions share when they go to the same place: one that hangs takes only its lane's share of the slots.
 * Catch-up work has lanes of its own, so that a backlog does not stand before what is due now.
 */
export function laneOf(target: Target): string {
  return new URL(target.url.replace(/\{\{[^{}]*\}\}/g, "x")).host;
}

export function catchUpLane(lane: string): string {
  return `${lane} (catch-up)`;
}
