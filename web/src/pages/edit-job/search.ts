import { present, textOf } from "../../ui/search-values.ts";

export function readNewJobSearch(search: Record<string, unknown>) {
  // The job whose copy is made.
  return present({ like: textOf(search.like) });
}
