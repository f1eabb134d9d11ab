// Single triggers of requests that carry an idempotency key, many in one transaction, as described in idempotency.ts: each takes
// effect with its key and its answer, or not at all, and what becomes of one is nothing to those beside it.
//
// Lock, key and execution in one statement: who inserts a key looks past the statement's beginning by itself, so that it cannot
// be missed; what stands under a key that was there is read by the next.

import type { IdSource } from "../../core/ids.ts";
import type { TriggerOnce, TriggerOnceResult, TriggerRequest } from "../port/jobs.ts";
import type { RememberedAnswer } from "../port/once.ts";
import { jsonArray, smallintArray, textArray } from "./array-parameter.ts";
import { type Queryable, statement } from "./database.ts";
import { type KeyRow, lockNumber, REMEMBERED, takeKeys, toEarlier } from "./idempotency.ts";
import { FEW, TOLD, type TriggeredRow, type TriggerOptions, triggered, triggerText, values } from "./trigger.ts";

const TRIGGER_ONCE = triggerText({
  given: { once: "$14::text[]", fingerprint: "$15::text[]", lock: "$16::text[]" },
  first: `
   asked as materialized (select i.nth, i.once, i.fingerprint, pg_try_advisory_xact_lock(i.lock::bigint) as free from input i),
   taken as (${takeKeys(`select $1, a.once, decode(a.fingerprint, 'hex'), now() from asked a where a.free and (a.nth in (select m.nth from matched m)) is true`)}),
   fresh as materialized (select a.nth from asked a where (a.once in (select t.key from taken t)) is true),`,
  where: "(m.nth in (select f.nth from fresh f)) is true",
  select: `select a.nth, a.free, (a.nth in (select f.nth from fresh f)) is true as fresh, ${TOLD} from asked a left join matched m on m.nth = a.nth`,
});
export const triggerOnceSql = statement("trigger_once", TRIGGER_ONCE);
/** Of so few any plan is good. */
export const triggerOnceFewSql = statement("trigger_once_few", TRIGGER_ONCE, "kept");

/** Each key is looked for by itself: by a plan made when there were few, all of the project would be compared with these. */
export const answerKeysSql = statement(
  "answer_idempotency_keys",
  `update punctual.idempotency_key k set status = i.status, response = i.response
   from unnest($2::text[], $3::smallint[], $4::json[]) as i (key, status, response)
     cross join lateral (select o.ctid from punctual.idempotency_key o where o.project_id = $1 and o.key = i.key limit 1) o
   where k.ctid = o.ctid`,
  "kept",
);

export const readIdempotencyKeysSql = statement(
  "read_idempotency_keys",
  `select k.key, k.fingerprint, k.response from punctual.idempotency_key k
   where k.project_id = $1 and k.key = any($2::text[]) and k.created_at >= now() - interval '${REMEMBERED}'`,
);

export interface OnceItem extends TriggerRequest {
  once: TriggerOnce;
}

interface AskedRow extends TriggeredRow {
  /** Whether nobody else is working on the key. */
  free: boolean;
  fresh: boolean;
}

export async function triggerEachOnce(
  db: Queryable,
  ids: IdSource,
  projectId: string,
  items: OnceItem[],
  options: TriggerOptions,
): Promise<TriggerOnceResult[]> {
  const first = new Map(items.toReversed().map((item) => [item.once.key, item]));
  const asked = [...first.values()];
  const results = await db.transaction((tx) => writeAll(tx, ids, projectId, asked, options), "kept");
  const byItem = new Map(asked.map((item, nth) => [item, results[nth]!]));
  // A second one under the same key comes while the first is being worked on.
  return items.map((item) => byItem.get(item) ?? { kind: "in_progress" });
}

async function writeAll(
  tx: Queryable,
  ids: IdSource,
  projectId: string,
  items: OnceItem[],
  options: TriggerOptions,
): Promise<TriggerOnceResult[]> {
  const made = items.map((item) => ({ ...item, id: ids.next(0) }));
  const rows = await tx.run<AskedRow>(items.length <= FEW ? triggerOnceFewSql : triggerOnceSql, [
    ...values(projectId, made, options),
    textArray(items.map(({ once }) => once.key)),
    textArray(items.map(({ once }) => once.fingerprint.toString("hex"))),
    textArray(items.map(({ once }) => lockNumber(projectId, once.key))),
  ]);
  const results = new Array<TriggerOnceResult>(items.length);
  const known: number[] = [];
  for (const row of rows) {
    const item = items[row.nth]!;
    if (row.fresh) {
      const execution = triggered(row, item, options.actor);
      results[row.nth] = { kind: "fresh", execution, answer: item.once.answer(execution) };
    } else if (row.free) known.push(row.nth);
    else results[row.nth] = { kind: "in_progress" };
  }
  await remember(tx, projectId, items, results);
  for (const [nth, result] of await recall(tx, projectId, known, items)) results[nth] = result;
  return results;
}

async function remember(
  tx: Queryable,
  projectId: string,
  items: OnceItem[],
  results: TriggerOnceResult[],
): Promise<void> {
  const fresh = results.flatMap((result, nth) =>
    result?.kind === "fresh" ? [{ key: items[nth]!.once.key, answer: result.answer }] : [],
  );
  if (fresh.length === 0) return;
  await tx.run(answerKeysSql, [
    projectId,
    textArray(fresh.map(({ key }) => key)),
    smallintArray(fresh.map(({ answer }) => answer.status)),
    jsonArray(fresh.map(({ answer }) => JSON.stringify(answer))),
  ]);
}

/** Of keys that were there before, and of such as were not taken because there is no such job. */
async function recall(
  tx: Queryable,
  projectId: string,
  known: number[],
  items: OnceItem[],
): Promise<[number, TriggerOnceResult][]> {
  if (known.length === 0) return [];
  const keys = known.map((nth) => items[nth]!.once.key);
  const rows = await tx.run<KeyRow<RememberedAnswer> & { key: string }>(readIdempotencyKeysSql, [projectId, keys]);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return known.map((nth) => {
    const { once, job } = items[nth]!;
    const row = byKey.get(once.key);
    return [nth, row === undefined ? { kind: "not_found", job } : toEarlier(row, once.fingerprint)];
  });
}
