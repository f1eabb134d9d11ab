import { oneOf, present, textOf } from "../../ui/search-values.ts";

export function readTimelineSearch(search: Record<string, unknown>) {
  return present({
    // The middle of what is shown; now, if it is not there.
    at: textOf(search.at),
    span: oneOf(search.span, ["6h", "24h", "3d", "7d"]),
    q: textOf(search.q),
    tag: textOf(search.tag),
  });
}
