import { present, textOf } from "../../ui/search-values.ts";

/** The filters of the audit. */
export function readSettingsSearch(search: Record<string, unknown>) {
  return present({
    actor: textOf(search.actor),
    action: textOf(search.action),
    object: textOf(search.object),
    from: textOf(search.from),
    to: textOf(search.to),
  });
}
