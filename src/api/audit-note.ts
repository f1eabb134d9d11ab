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

/**
 * What is too much is left out from the largest member on, so that the small ones, which say most, stay: a padded payload must
 * not hide the address that was changed with it.
 */
function bounded(value: unknown): unknown {
  return value === undefined || value === null ? null : shrunk(withoutSecrets(value), BYTES_MAX);
}

function shrunk(value: unknown, room: number): unknown {
  const bytes = bytesOf(value);
  if (bytes <= room) return value;
  if (typeof value !== "object" || value === null) return `[${bytes} bytes left out]`;
  return Array.isArray(value) ? shortened(value, room) : slimmed(value, room);
}

function shortened(list: unknown[], room: number): unknown[] {
  let left = room;
  const fitting = list.findIndex((item) => {
    left -= bytesOf(item) + 1;
    return left < 0;
  });
  return [...list.slice(0, fitting), `[${list.length - fitting} more left out]`];
}

/** Each member may have an even share of what the smaller ones have left. */
function slimmed(members: object, room: number): object {
  const sized = Object.entries(members).map(([key, value]) => ({ key, value, bytes: bytesOf(value) }));
  let left = room - bytesOf(Object.keys(members));
  const kept = new Map<string, unknown>();
  for (const [index, { key, value }] of sized.toSorted((a, b) => a.bytes - b.bytes).entries()) {
    const part = shrunk(value, Math.max(0, left / (sized.length - index)));
    left -= bytesOf(part);
    kept.set(key, part);
  }
  return Object.fromEntries(sized.map(({ key }) => [key, kept.get(key)]));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
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
