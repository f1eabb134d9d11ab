import type { AuditFilter } from "punctual/client";
import { present } from "../../ui/search-values.ts";
import { dayBounds } from "../../ui/wall-time.ts";
import type { SettingsSearch } from "./search.ts";

/** What the address asks for, as the server takes it: days become moments, and the last day counts whole. */
export function auditFilter({ actor, action, object, from, to, instance }: SettingsSearch, zone: string): AuditFilter {
  return present({
    actor,
    action,
    object,
    from: from && dayBounds(from, zone)?.from.toISOString(),
    to: to && dayBounds(to, zone)?.to.toISOString(),
    instance,
  }) as AuditFilter;
}
