import type { PunctualClient } from "punctual/client";
import { counted, numberText } from "../../ui/counted.ts";
import type { CountedAction } from "../../ui/counted-action.tsx";

export type Action = "retry" | "discard";

/** Which of the open ones. */
export type Selection = { ids: string[] } | { filter: { group?: string[]; jobId?: string[] } };

const CHANGES = [["dead-letters"], ["letters of a group"], ["executions"], ["execution"], ["stats"]];

export function letterAction(client: PunctualClient, action: Action, selection: Selection): CountedAction {
  const call: CountedAction["call"] = (how) => client.deadLetters[action]({ ...selection, ...how });
  if (action === "retry")
    return {
      title: "Run again",
      about: (count) =>
        `${letters(count)} will run again, ${count === 1 ? "" : "each "}as a new execution with the payload it had and its job's current version.`,
      verb: (count) => `Retry ${numberText(count)}`,
      done: (count) => `${letters(count)} will run again`,
      changes: CHANGES,
      call,
    };
  return {
    title: "Discard",
    about: (count) =>
      `${letters(count)} will be put away as dealt with and not run again. What happened stays in the list of executions.`,
    verb: (count) => `Discard ${numberText(count)}`,
    done: (count) => `${letters(count)} discarded`,
    danger: true,
    changes: CHANGES,
    call,
  };
}

export function letters(count: number): string {
  return counted(count, "dead letter");
}
