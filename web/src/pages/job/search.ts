import { oneOf, present } from "../../ui/search-values.ts";

export const JOB_PAGE_TABS = ["overview", "executions", "versions", "definition", "code"] as const;

export function readJobSearch(search: Record<string, unknown>) {
  return present({ tab: oneOf(search.tab, JOB_PAGE_TABS) });
}
