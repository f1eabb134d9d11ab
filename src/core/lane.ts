import type { Target } from "../contract/target.ts";

/**
 * What executions share when they go to the same place: one that hangs takes only its lane's share of the slots.
 * Catch-up work has lanes of its own, so that a backlog does not stand before what is due now.
 */
export function laneOf(target: Target): string {
  switch (target.type) {
    case "http":
      return new URL(target.url.replace(/\{\{[^{}]*\}\}/g, "x")).host;
    case "worker":
      return handlerLane(target.handler);
    case "shell":
      return SHELL_LANE;
  }
}

/**
 * Lanes that begin with `@` are taken by name, by whoever offers the handler; nodes leave them alone. No host begins so,
 * and the indexes of the queue are divided by this letter (migration 0002).
 */
export function handlerLane(handler: string): string {
  return `@${handler}`;
}

export function isHandlerLane(lane: string): boolean {
  return lane.startsWith("@");
}

export const SHELL_LANE = "shell";

const CATCH_UP = " (catch-up)";

export function catchUpLane(lane: string): string {
  return lane + CATCH_UP;
}

/** The handler that takes the work of a lane. */
export function handlerOf(lane: string): string {
  const name = lane.slice(handlerLane("").length);
  return name.endsWith(CATCH_UP) ? name.slice(0, -CATCH_UP.length) : name;
}
