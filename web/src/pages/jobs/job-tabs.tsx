import type { JobCounts } from "punctual/client";
import { numberText } from "../../ui/counted.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { JOB_TABS, type JobsSearch } from "./search.ts";

const LABEL = { active: "Active", paused: "Paused", completed: "Completed", deleted: "Deleted" } as const;

export function JobTabs({ search, counts }: { search: JobsSearch; counts: JobCounts | undefined }) {
  const { state: current, ...rest } = search;
  return (
    <Tabs
      label="Jobs by state"
      tabs={[undefined, ...JOB_TABS].map((state) => ({
        label: state === undefined ? "All" : LABEL[state],
        count: counts && countText(counts, state),
        current: state === current,
        search: state === undefined ? rest : { ...rest, state },
      }))}
    />
  );
}

/** How many there are under a tab; "all" is without those that are deleted. */
export function countOf(counts: JobCounts, state: JobsSearch["state"]): number {
  return state === undefined ? counts.active + counts.paused + counts.completed : counts[state];
}

export function countText(counts: JobCounts, state: JobsSearch["state"]): string {
  return `${numberText(countOf(counts, state))}${counts.complete ? "" : "+"}`;
}
