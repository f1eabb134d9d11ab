import type { ApiKeyRecord, ApiKeyStore, NewApiKeyRecord, PresentedApiKey } from "../port/api-keys.ts";
import { API_KEY_COLUMNS, type ApiKeyRow, toApiKey } from "./api-key-row.ts";
import { type Queryable, statement } from "./database.ts";
import { enterProject } from "./enter-project.ts";
import { listApiKeys } from "./list-api-keys.ts";
import { rotateApiKey } from "./rotate-api-key.ts";

export const insertApiKeySql = statement(
  "insert_api_key",
  `insert into punctual.api_key as k (id, project_id, name, hash, scopes, instance_admin, created_at, created_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${API_KEY_COLUMNS}`,
);

export const findApiKeySql = statement(
  "find_api_key",
  `select ${API_KEY_COLUMNS} from punctual.api_key k where k.project_id = $1 and k.id = $2`,
);

export const presentApiKeySql = statement(
  "present_api_key",
  `select ${API_KEY_COLUMNS}, k.hash, p.name as project_name,
     extract(epoch from k.expires_at - clock_timestamp())::float8 * 1000 as ms_left
   from punctual.api_key k join punctual.project p on p.id = k.project_id where k.id = $1`,
);

export const revokeApiKeySql = statement(
  "revoke_api_key",
  `update punctual.api_key k set revoked_at = coalesce(k.revoked_at, clock_timestamp()) where k.project_id = $1 and k.id = $2
   returning ${API_KEY_COLUMNS}`,
);

/** A key that somebody else is changing is left for the next time. */
export const noteApiKeyUseSql = statement(
  "note_api_key_use",
  `update punctual.api_key set last_used_at = now() where id = any(array(
     select k.id from punctual.api_key k
     where k.id = any($1::text[]) and (k.last_used_at is null or k.last_used_at <= now() - interval '1 minute')
     order by k.id for update skip locked))`,
);

type PresentedRow = ApiKeyRow & { hash: Buffer; project_name: string; ms_left: number | null };

export function apiKeyStore(db: Queryable): ApiKeyStore {
  return {
    create: (key) => db.transaction((tx) => createApiKey(tx, key)),
    present: async (id) => {
      const [row] = await db.run<PresentedRow>(presentApiKeySql, [id]);
      return row ? toPresented(row) : null;
    },
    find: async (projectId, id) => {
      const [row] = await db.run<ApiKeyRow>(findApiKeySql, [projectId, id]);
      return row ? toApiKey(row) : null;
    },
    list: (projectId, page) => listApiKeys(db, projectId, page),
    revoke: async (projectId, id) => {
      const [row] = await db.run<ApiKeyRow>(revokeApiKeySql, [projectId, id]);
      return row ? toApiKey(row) : null;
    },
    rotate: (projectId, id, options) => db.transaction((tx) => rotateApiKey(tx, projectId, id, options)),
    noteUse: async (ids) => void (await db.run(noteApiKeyUseSql, [ids])),
  };
}

async function createApiKey(tx: Queryable, key: NewApiKeyRecord): Promise<ApiKeyRecord | null> {
  const now = await enterProject(tx, key.projectId);
  if (now === null) return null;
  const { id, projectId, name, hash, scopes, instanceAdmin, createdBy, expiresAt } = key;
  const [row] = await tx.run<ApiKeyRow>(insertApiKeySql, [
    id,
    projectId,
    name,
    hash,
    scopes,
    instanceAdmin,
    now,
    createdBy,
    expiresAt,
  ]);
  return toApiKey(row!);
}

function toPresented(row: PresentedRow): PresentedApiKey {
  const msLeft = row.state === "active" ? row.ms_left : null;
  return { ...toApiKey(row), projectName: row.project_name, hash: row.hash, msLeft };
}
