// A request that carries an idempotency key takes effect once: its effect and its answer are written in one transaction, and
// the same request again gets the answer back. The key is looked for in statements of its own, because one that inserts
// "on conflict do nothing" and selects sees neither row when it lost a race.
//
// Two requests with one key at the same time: the second is told so at once instead of waiting behind the first's locks with
// a connection in its hand. The lock is the transaction's, so that it dies with the process that holds it.

import { createHash } from "node:crypto";
import type { EarlierResult, OnceResult, RememberedAnswer } from "../port/once.ts";
import type { Store } from "../port.ts";
import { type Queryable, statement } from "./database.ts";

/** How long a key is remembered; sweeping may come later, but the key is free from then on. */
export const REMEMBERED = "24 hours";

export const lockKeySql = statement(
  "lock_idempotency_key",
  "select pg_try_advisory_xact_lock($1::bigint) as free",
  "kept",
);

/** `what` is inserted of project, key and fingerprint. */
export const takeKeys = (
  what: string,
) => `insert into punctual.idempotency_key as k (project_id, key, fingerprint, created_at) ${what}
   on conflict (project_id, key) do update set fingerprint = excluded.fingerprint, status = null, response = null, created_at = now()
   where k.created_at < now() - interval '${REMEMBERED}'
   returning k.key`;

export const takeKeySql = statement("take_idempotency_key", takeKeys("values ($1, $2, $3, now())"), "kept");

export const readKeySql = statement(
  "read_idempotency_key",
  "select k.fingerprint, k.status, k.response from punctual.idempotency_key k where k.project_id = $1 and k.key = $2",
);

export const answerKeySql = statement(
  "answer_idempotency_key",
  "update punctual.idempotency_key k set status = $3, response = $4 where k.project_id = $1 and k.key = $2",
  "kept",
);

interface Request {
  projectId: string;
  key: string;
  fingerprint: Buffer;
}

export async function once<T extends RememberedAnswer>(
  db: Queryable,
  storeIn: (tx: Queryable) => Store,
  request: Request,
  work: (store: Store) => Promise<T>,
): Promise<OnceResult<T>> {
  const { projectId, key, fingerprint } = request;
  return await db.transaction(async (tx) => {
    const [lock] = await tx.run<{ free: boolean }>(lockKeySql, [lockNumber(projectId, key)]);
    if (!lock!.free) return { kind: "in_progress" };
    const taken = await tx.run(takeKeySql, [projectId, key, fingerprint]);
    if (taken.length === 0) return await earlier<T>(tx, request);
    const answer = await work(storeIn(tx));
    await tx.run(answerKeySql, [projectId, key, answer.status, JSON.stringify(answer)]);
    return { kind: "fresh", answer };
  }, "kept");
}

async function earlier<T>(tx: Queryable, { projectId, key, fingerprint }: Request): Promise<EarlierResult<T>> {
  const [row] = await tx.run<KeyRow<T>>(readKeySql, [projectId, key]);
  return toEarlier(row!, fingerprint);
}

export interface KeyRow<T> {
  fingerprint: Buffer;
  response: T;
}

export function toEarlier<T>(row: KeyRow<T>, fingerprint: Buffer): EarlierResult<T> {
  return row.fingerprint.equals(fingerprint) ? { kind: "replayed", answer: row.response } : { kind: "reused" };
}

export function lockNumber(projectId: string, key: string): string {
  return createHash("sha256").update(`${projectId} ${key}`).digest().readBigInt64BE(0).toString();
}
