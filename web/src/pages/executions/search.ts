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

/** Stretches of time up to now, as `from` has them in the address. */
export const WINDOWS = {
  "-15m": { label: "Last 15 minutes", ms: 15 * 60_000 },
  "-1h": { label: "Last hour", ms: 3_600_000 },
  "-24h": { label: "Last 24 hours", ms: 86_400_000 },
  "-7d": { label: "Last 7 days", ms: 7 * 86_400_000 },
} as const;
export type Window = keyof typeof WINDOWS;

export function isWindow(from: string | undefined): from is Window {
  return from !== undefined && Object.hasOwn(WINDOWS, from);
}

export function readExecutionsSearch(search: Record<string, unknown>) {
  return present({
    state: oneOf(search.state, EXECUTION_TABS),
    /** An id or a name. */
    job: textOf(search.job),
    trigger: oneOf(search.trigger, TRIGGERS),
    tag: textOf(search.tag),
    /** An instant, or one of the windows above. */
    from: momentOf(search.from, true),
    to: momentOf(search.to, false),
    order: oneOf(search.order, ["asc", "desc"] as const),
  });
}

export type ExecutionsSearch = ReturnType<typeof readExecutionsSearch>;

function momentOf(value: unknown, windows: boolean): string | undefined {
  const text = textOf(value);
  if (text === undefined || (windows && isWindow(text))) return text;
  return Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();
}
