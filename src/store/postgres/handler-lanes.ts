import { catchUpLane, handlerLane } from "../../core/lane.ts";

/** The two lanes of a handler as rows of `l (lane)`; `name` is an SQL expression. */
export function handlerLanes(name: string): string {
  return `unnest(array['${handlerLane("")}' || ${name}, '${handlerLane("")}' || ${name} || '${catchUpLane("")}']) as l (lane)`;
}
