import { present, textOf } from "../../ui/search-values.ts";
import { dayBounds } from "../../ui/wall-time.ts";

/** The filters of the audit. */
export function readSettingsSearch(search: Record<string, unknown>) {
  return present({
    actor: textOf(search.actor),
    action: textOf(search.action),
    object: textOf(search.object),
    from: dayOf(search.from),
    to: dayOf(search.to),
    /** What belongs to no project, such as signing in. */
    instance: search.instance === true ? true : undefined,
  });
}

export type SettingsSearch = ReturnType<typeof readSettingsSearch>;

function dayOf(value: unknown): string | undefined {
  return typeof value === "string" && dayBounds(value, "UTC") !== null ? value : undefined;
}
