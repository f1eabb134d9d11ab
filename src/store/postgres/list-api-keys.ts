import type { ApiKeyRecord } from "../port/api-keys.ts";
import { API_KEY_COLUMNS, type ApiKeyRow, toApiKey } from "./api-key-row.ts";
import { type Queryable, statement } from "./database.ts";
import { cursorInstant, decodeCursor, encodeCursor } from "./page-cursor.ts";

export const listApiKeysSql = statement(
  "list_api_keys",
  `select ${API_KEY_COLUMNS} from punctual.api_key k
   where k.project_id = $1
     and ($3::timestamptz is null or k.created_at <= $3 and (k.created_at < $3 or k.id > $4))
   order by k.created_at desc, k.id limit $2`,
);

/** Newest first. */
export async function listApiKeys(
  db: Queryable,
  projectId: string,
  page: { after: string | null; limit: number },
): Promise<{ items: ApiKeyRecord[]; next: string | null }> {
  const [at, id] = page.after === null ? [null, null] : decodeCursor("api-keys", page.after);
  const after = page.after === null ? null : cursorInstant(at, page.after);
  const rows = await db.run<ApiKeyRow>(listApiKeysSql, [projectId, page.limit + 1, after, String(id)]);
  const items = rows.slice(0, page.limit).map(toApiKey);
  const last = items.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { items, next: more ? encodeCursor("api-keys", [last.createdAt.toISOString(), last.id]) : null };
}
