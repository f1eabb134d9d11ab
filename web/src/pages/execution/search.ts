import { oneOf, present } from "../../ui/search-values.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export function readExecutionSearch(search: Record<string, unknown>) {
  return present({
    /** The attempt that is looked at; without it the last one. */
    attempt: Number.isInteger(search.attempt) ? (search.attempt as number) : undefined,
    /** Lines of the log of this level and above. */
    level: oneOf(search.level, LOG_LEVELS),
  });
}
