import { oneOf, present, textOf } from "../../ui/search-values.ts";
import { SPANS } from "./timeline-window.ts";

export function readTimelineSearch(search: Record<string, unknown>) {
  return present({
    // The middle of what is shown; now, if it is not there.
    at: textOf(search.at),
    span: oneOf(search.span, SPANS),
    q: textOf(search.q),
    tag: textOf(search.tag),
    as: oneOf(search.as, ["table"]),
  });
}

export type TimelineSearch = ReturnType<typeof readTimelineSearch>;
