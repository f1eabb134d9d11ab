import { useQuery } from "@tanstack/react-query";
import type { ExecutionCounts } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { numberText } from "../../ui/counted.ts";
import { Tabs } from "../../ui/tabs.tsx";
import type { Filter } from "./filter.ts";
import { EXECUTION_TABS, type ExecutionsSearch } from "./search.ts";

/** Beyond this many the server does not count. */
const COUNT_MAX = 100_000;

/** A tab for each state, with how many there are under the same filters. */
export function StateTabs({ search, filter, enabled }: { search: ExecutionsSearch; filter: Filter; enabled: boolean }) {
  const client = useClient();
  const { state: _, ...rest } = filter;
  const { data } = useQuery({
    // Counted at the pace of figures: it costs more than a page of rows.
    queryKey: ["stats", "executions by state", rest],
    queryFn: ({ signal }) => client.executions.counts(rest, { signal }),
    enabled,
  });
  const { state: open, ...others } = search;
  return (
    <Tabs
      label="By state"
      tabs={[
        { label: "All", current: open === undefined, search: others, count: data && allText(data) },
        ...EXECUTION_TABS.map((state) => ({
          label: `${state[0]!.toUpperCase()}${state.slice(1)}`,
          current: open === state,
          search: { ...others, state },
          count: data && countText(data[state]),
        })),
      ]}
    />
  );
}

function allText(counts: ExecutionCounts): string {
  const all = EXECUTION_TABS.reduce((sum, state) => sum + counts[state], 0);
  return `${numberText(all)}${counts.complete ? "" : "+"}`;
}

function countText(count: number): string {
  return `${numberText(count)}${count >= COUNT_MAX ? "+" : ""}`;
}
