import { oneOf, present, textOf } from "../../ui/search-values.ts";

export const JOB_TABS = ["active", "paused", "completed", "deleted"] as const;
export const JOB_ORDERS = ["name", "-name", "created", "-created", "nextFireAt", "-nextFireAt"] as const;
/** Rows that stay where they are while one reads them. */
export const ORDER_PRESET = "name";

export function readJobsSearch(search: Record<string, unknown>) {
  return present({
    q: textOf(search.q),
    state: oneOf(search.state, JOB_TABS),
    tag: textOf(search.tag),
    source: textOf(search.source),
    sort: oneOf(search.sort, JOB_ORDERS),
  });
}

export type JobsSearch = ReturnType<typeof readJobsSearch>;
