import { PunctualError } from "../../contract/errors.ts";
import type { ActorKind, AuditFilter, AuditRecord, AuditStore, NewAuditEntry } from "../port/audit.ts";
import { type Queryable, statement } from "./database.ts";
import { decodeCursor, encodeCursor } from "./page-cursor.ts";

export const addAuditSql = statement(
  "add_audit",
  `insert into punctual.audit (project_id, action, actor_kind, actor_id, actor_name, object_kind, object_id, object_name, before, after, address, request_id)
   select r.project_id, r.action, r.actor_kind, r.actor_id, r.actor_name, r.object_kind, r.object_id, r.object_name, r.before, r.after, r.address, r.request_id
   from jsonb_to_recordset($1::jsonb) as r (project_id uuid, action text, actor_kind text, actor_id text, actor_name text, object_kind text,
     object_id text, object_name text, before jsonb, after jsonb, address text, request_id text)`,
);

/** The project stands in each branch of an "or", so that each has its index. */
const listAuditSql = (name: string, project: string) =>
  statement(
    name,
    `select a.id::text, a.at, a.action, a.actor_kind, a.actor_id, a.actor_name, a.object_kind, a.object_id, a.object_name, a.before, a.after,
       a.address, a.request_id
     from punctual.audit a
     where ${project} and ($3::bigint is null or a.id < $3)
       and ($4::text is null or ${project} and a.actor_name = $4 or ${project} and a.actor_id = $4)
       and ($5::text[] is null or a.action = any($5))
       and ($6::text is null or ${project} and a.object_id = $6 or ${project} and a.object_name = $6)
       and ($7::timestamptz is null or a.at >= $7) and ($8::timestamptz is null or a.at < $8)
     order by a.id desc limit $2`,
  );

export const listProjectAuditSql = listAuditSql("list_project_audit", "a.project_id = $1");
export const listInstanceAuditSql = listAuditSql("list_instance_audit", "($1::uuid is null and a.project_id is null)");

interface AuditRow {
  id: string;
  at: Date;
  action: string;
  actor_kind: ActorKind;
  actor_id: string;
  actor_name: string;
  object_kind: string | null;
  object_id: string | null;
  object_name: string | null;
  before: unknown;
  after: unknown;
  address: string | null;
  request_id: string | null;
}

export function auditStore(db: Queryable): AuditStore {
  return {
    add: async (entries) => {
      if (entries.length > 0) await db.run(addAuditSql, [JSON.stringify(entries.map(toRow))]);
    },
    list: async (projectId, filter, { after, limit }) => {
      const values = [projectId, limit + 1, placeOf(after), ...filterValues(filter)];
      const rows = await db.run<AuditRow>(projectId === null ? listInstanceAuditSql : listProjectAuditSql, values);
      const items = rows.slice(0, limit).map(toRecord);
      return { items, next: rows.length > limit ? encodeCursor("audit", [items.at(-1)!.id]) : null };
    },
  };
}

function filterValues({ actor, action, object, from, to }: AuditFilter): unknown[] {
  return [actor ?? null, action ?? null, object ?? null, from ?? null, to ?? null];
}

function placeOf(cursor: string | null): string | null {
  if (cursor === null) return null;
  const [id] = decodeCursor("audit", cursor);
  if (typeof id === "string" && /^\d{1,18}$/.test(id)) return id;
  throw new PunctualError("invalid_cursor", `the cursor "${cursor.slice(0, 100)}" was not given out by this list`);
}

function toRow({ projectId, action, actor, object, before, after, address, requestId }: NewAuditEntry) {
  return {
    project_id: projectId,
    action,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    object_kind: object?.kind ?? null,
    object_id: object?.id ?? null,
    object_name: object?.name ?? null,
    before: before ?? null,
    after: after ?? null,
    address,
    request_id: requestId,
  };
}

function toRecord(row: AuditRow): AuditRecord {
  const object =
    row.object_kind === null ? null : { kind: row.object_kind, id: row.object_id ?? "", name: row.object_name };
  return {
    id: row.id,
    at: row.at,
    action: row.action,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    object,
    before: row.before,
    after: row.after,
    address: row.address,
    requestId: row.request_id,
  };
}
