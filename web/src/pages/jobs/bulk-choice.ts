import type { BulkJobsInput, Job, JobState } from "punctual/client";
import type { JobsSearch } from "./search.ts";

export type BulkAction = BulkJobsInput["action"];

/** Which jobs are meant: some that were chosen one by one, or all that match what the list is filtered by. */
export type Choice = { kind: "rows"; jobs: readonly Job[] } | { kind: "matching"; search: JobsSearch };

/** In which states a job can be for it; those in others stay as they are. */
const STATES: Record<BulkAction, readonly JobState[]> = {
  pause: ["active"],
  resume: ["paused"],
  trigger: ["active", "paused", "completed"],
  delete: ["active", "paused", "completed"],
};

/** What the server is asked to act on; null if it can be done with none of them. */
export function bulkTarget(action: BulkAction, choice: Choice): Pick<BulkJobsInput, "ids" | "filter"> | null {
  if (choice.kind === "rows") {
    const ids = choice.jobs.filter(({ state }) => STATES[action].includes(state)).map(({ id }) => id);
    return ids.length === 0 ? null : { ids };
  }
  const { state, tag, q, source } = choice.search;
  const states = STATES[action].filter((each) => state === undefined || each === state);
  if (states.length === 0) return null;
  return {
    filter: {
      state: states,
      ...(tag === undefined ? {} : { tag: [tag] }),
      ...(q === undefined ? {} : { q }),
      ...(source === undefined ? {} : { source }),
    },
  };
}

/** How many of the chosen rows it cannot be done with. Of all that match, nobody has looked at each. */
export function leftOut(action: BulkAction, choice: Choice): number {
  return choice.kind === "rows" ? choice.jobs.filter(({ state }) => !STATES[action].includes(state)).length : 0;
}
