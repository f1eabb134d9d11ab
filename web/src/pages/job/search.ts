import { oneOf, present, textOf } from "../../ui/search-values.ts";
import { EXECUTION_TABS } from "../executions/search.ts";

export const JOB_PAGE_TABS = ["overview", "executions", "versions", "definition", "code"] as const;
export type JobPageTab = (typeof JOB_PAGE_TABS)[number];

/** How far back the charts look. */
export const WINDOWS = ["1h", "24h", "7d", "30d"] as const;
export type Window = (typeof WINDOWS)[number];

export function readJobSearch(search: Record<string, unknown>) {
  return present({
    tab: oneOf(search.tab, JOB_PAGE_TABS),
    window: oneOf(search.window, WINDOWS),
    // Of the executions that are listed: their state, and from when to when, as instants.
    state: oneOf(search.state, EXECUTION_TABS),
    from: instantOf(search.from),
    to: instantOf(search.to),
  });
}

export type JobSearch = ReturnType<typeof readJobSearch>;

function instantOf(value: unknown): string | undefined {
  const written = textOf(value);
  return written !== undefined && !Number.isNaN(Date.parse(written)) ? new Date(written).toISOString() : undefined;
}
