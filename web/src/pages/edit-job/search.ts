import { oneOf, present, textOf } from "../../ui/search-values.ts";

export function readNewJobSearch(search: Record<string, unknown>) {
  return present({
    // The job whose copy is made.
    like: textOf(search.like),
    as: oneOf(search.as, ["json"]),
  });
}

export function readEditJobSearch(search: Record<string, unknown>) {
  return present({ as: oneOf(search.as, ["json"]) });
}
