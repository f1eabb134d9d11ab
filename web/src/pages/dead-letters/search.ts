import { oneOf, present, textOf } from "../../ui/search-values.ts";

export function readDeadLettersSearch(search: Record<string, unknown>) {
  return present({
    status: oneOf(search.status, ["open", "retried", "discarded"] as const),
    group: textOf(search.group),
    job: textOf(search.job),
  });
}
