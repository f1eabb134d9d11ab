// What a request changed, as it goes into the audit: never with a secret in it, never without bound.

import type { ActorKind, NewAuditEntry } from "../store/port/audit.ts";

export interface Noted {
  kind: string;
  id: string;
  name?: string | null;
  before?: unknown;
  after?: unknown;
  /** Where it belongs, if not to the project of the request; null: to none. */
  projectId?: string | null;
  /** Who it was, where the request itself does not know yet. */
  actor?: { kind: ActorKind; id: string; name: string };
}

interface Circumstances {
  actor: { kind: ActorKind; id: string; name: string };
  projectId: string;
  address: string;
  requestId: string;
}

const BYTES_MAX = 16 * 1024;
const SENSITIVE = /password|secret|token|authorization|cookie|credential|api[-_]?key|private[-_]?key/i;
const HIDDEN = "[hidden]";

export function auditEntry(action: string, noted: Noted, circumstances: Circumstances): NewAuditEntry {
  const { kind, id, name = null, before, after, projectId = circumstances.projectId || null } = noted;
  const { actor, address, requestId } = circumstances;
  return {
    projectId,
    action,
    actor: noted.actor ?? { kind: actor.kind, id: actor.id, name: actor.name },
    object: { kind, id, name },
    before: bounded(before),
    after: bounded(after),
    address,
    requestId,
  };
}

function bounded(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const shown = withoutSecrets(value);
  const bytes = Buffer.byteLength(JSON.stringify(shown) ?? "");
  return bytes > BYTES_MAX ? { leftOut: `${bytes} bytes are more than the ${BYTES_MAX} that are kept` } : shown;
}

/** By the names of fields: what could be a secret is none of the audit's business. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [
    key,
    SENSITIVE.test(key) && inner !== null ? HIDDEN : withoutSecrets(inner),
  ]);
  return Object.fromEntries(fields);
}
