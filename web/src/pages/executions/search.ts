import { oneOf, present, textOf } from "../../ui/search-values.ts";

export const EXECUTION_TABS = [
  "scheduled",
  "running",
  "retrying",
  "succeeded",
  "failed",
  "cancelled",
  "skipped",
  "unknown",
] as const;
export const TRIGGERS = ["schedule", "manual", "retry"] as const;

export function readExecutionsSearch(search: Record<string, unknown>) {
  return present({
    state: oneOf(search.state, EXECUTION_TABS),
    job: textOf(search.job),
    trigger: oneOf(search.trigger, TRIGGERS),
    tag: textOf(search.tag),
    from: textOf(search.from),
    to: textOf(search.to),
    order: oneOf(search.order, ["asc", "desc"]),
  });
}
