import type { Execution, PunctualClient } from "punctual/client";
import { counted, numberText } from "../../ui/counted.ts";
import type { CountedAction } from "../../ui/counted-action.tsx";
import { canCancel, canRetry, type Filter, isFinal } from "./filter.ts";

type Action = "retry" | "cancel";

const CHANGES = [["executions"], ["execution"], ["stats"], ["jobs"], ["dead-letters"]];

/** With these rows, as far as it can be done with them. */
export function withChosen(client: PunctualClient, action: Action, rows: readonly Execution[]): CountedAction | null {
  const ids = rows.filter(action === "retry" ? canRetry : canCancel).map(({ id }) => id);
  if (ids.length === 0) return null;
  const left = rows.length - ids.length;
  const note = left === 0 ? "" : ` The other ${numberText(left)} of those you chose are left as they are.`;
  return {
    ...wordsOf(action, note),
    changes: CHANGES,
    call: (how) => client.bulk.executions({ action, ids, ...how }),
  };
}

/** With all that match, loaded or not. */
export function withMatching(client: PunctualClient, action: Action, filter: Filter): CountedAction {
  return {
    ...wordsOf(action, " These are all that match the filters, also those further down that are not loaded."),
    changes: CHANGES,
    call: (how) => client.bulk.executions({ action, filter, ...how }),
  };
}

/** What can be done with all that match, going by the state that is looked at. */
export function possibleActions({ state }: Filter): readonly Action[] {
  if (state === undefined || state === "retrying") return ["retry", "cancel"];
  return isFinal(state) ? ["retry"] : ["cancel"];
}

function wordsOf(action: Action, note: string): Omit<CountedAction, "call" | "changes"> {
  if (action === "retry")
    return {
      title: "Run again",
      about: (count) =>
        `${counted(count, "execution")} will run again, ${count === 1 ? "" : "each "}as a new one with the payload it had and its job's current version. What waits between two attempts makes its next one now.${note}`,
      verb: (count) => `Retry ${numberText(count)}`,
      done: (count) => `${counted(count, "execution")} will run again`,
    };
  return {
    title: "Cancel",
    about: (count) =>
      `${counted(count, "execution")} will be cancelled. What runs is told to stop; what it has done by then stays done.${note}`,
    verb: (count) => `Cancel ${numberText(count)}`,
    done: (count) => `${counted(count, "execution")} cancelled`,
    danger: true,
  };
}
