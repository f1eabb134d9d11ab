// A key is replaced in two statements, because the second must not act on what was true before it waited for the first's
// locks: two rotations at once would both find the key in force, and one of the two new keys would follow nothing.

import type { Rotation } from "../port/api-keys.ts";
import { API_KEY_COLUMNS, type ApiKeyRow, toApiKey } from "./api-key-row.ts";
import { type Queryable, statement } from "./database.ts";
import { enterProject } from "./enter-project.ts";
import { readClock } from "./read-due-cursors.ts";

export const lockApiKeySql = statement(
  "lock_api_key",
  `select ${API_KEY_COLUMNS} from punctual.api_key k where k.project_id = $1 and k.id = $2 for update`,
);

/** One that was made to end after some time is followed by one that ends after the same time. */
export const succeedApiKeySql = statement(
  "succeed_api_key",
  `insert into punctual.api_key as k (id, project_id, name, hash, scopes, instance_admin, created_at, created_by, expires_at)
   select $2, o.project_id, o.name, $3, o.scopes, o.instance_admin, $4::timestamptz, $5, $4::timestamptz + (o.expires_at - o.created_at)
   from punctual.api_key o where o.id = $1
   returning ${API_KEY_COLUMNS}`,
);

/** It never lives longer than it would have without the rotation. */
export const replaceApiKeySql = statement(
  "replace_api_key",
  `update punctual.api_key k
   set replaced_by = $2, expires_at = least(k.expires_at, $3::timestamptz + $4::bigint * interval '1 millisecond')
   where k.id = $1 returning ${API_KEY_COLUMNS}`,
);

export async function rotateApiKey(
  tx: Queryable,
  projectId: string,
  id: string,
  options: { newId: string; hash: Buffer; overlapMs: number; actor: string },
): Promise<Rotation> {
  if ((await enterProject(tx, projectId)) === null) return { kind: "not_found" };
  const [row] = await tx.run<ApiKeyRow>(lockApiKeySql, [projectId, id]);
  if (row === undefined) return { kind: "not_found" };
  if (row.state !== "active" || row.replaced_by !== null) return { kind: "over", key: toApiKey(row) };
  const now = await readClock(tx);
  const [next] = await tx.run<ApiKeyRow>(succeedApiKeySql, [id, options.newId, options.hash, now, options.actor]);
  const [old] = await tx.run<ApiKeyRow>(replaceApiKeySql, [id, options.newId, now, options.overlapMs]);
  return { kind: "rotated", key: toApiKey(next!), old: toApiKey(old!) };
}
