import { oneOf, present } from "../../ui/search-values.ts";

export const WINDOWS = ["1h", "24h", "7d"] as const;
export type Window = (typeof WINDOWS)[number];

export function readOverviewSearch(search: Record<string, unknown>) {
  return present({ window: oneOf(search.window, WINDOWS) });
}
