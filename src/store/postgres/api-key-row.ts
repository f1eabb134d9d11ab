import type { ApiKeyState, Scope } from "../../contract/api-key.ts";
import type { ApiKeyRecord } from "../port/api-keys.ts";

/** Of `punctual.api_key k`. Never the hash: only whoever presents a key has use for it. */
export const API_KEY_COLUMNS = `k.id, k.project_id, k.name, k.scopes, k.instance_admin, k.created_at, k.created_by, k.expires_at,
  k.last_used_at, k.revoked_at, k.replaced_by,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= clock_timestamp() then 'expired' else 'active' end as state`;

export interface ApiKeyRow {
  id: string;
  project_id: string;
  name: string;
  scopes: Scope[];
  instance_admin: boolean;
  created_at: Date;
  created_by: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  replaced_by: string | null;
  state: ApiKeyState;
}

export function toApiKey(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    state: row.state,
    scopes: row.scopes,
    instanceAdmin: row.instance_admin,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    replacedBy: row.replaced_by,
  };
}
