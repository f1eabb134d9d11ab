// A trigger in a transaction of the caller's own: it takes effect if that commits, and never was if it does not. The wake-up
// is part of the transaction too, so that others hear of the work at its commit and not before. Without savepoints, because
// nothing is written before it is known that the job is there, and what fails in SQL has ended the caller's transaction anyway.

import type { IdSource } from "../../core/ids.ts";
import type { SqlClient, TriggerRequest, TriggerWithinResult } from "../port/jobs.ts";
import { type Queryable, statement } from "./database.ts";
import { wakeMessage } from "./event-bus.ts";
import { trigger, UnknownJobs } from "./trigger.ts";

export const wakeAtCommitSql = statement("wake_at_commit", "select pg_notify('punctual', $1), now()::text as began");

/** Within one transaction now() stands still: another answer than before means that there is none. */
export const transactionBeganSql = statement("transaction_began", "select now()::text as began");

export async function triggerWithin(
  client: SqlClient,
  ids: IdSource,
  projectId: string,
  item: TriggerRequest & { runAt: Date },
  options: { actor: string; horizonMs: number },
): Promise<TriggerWithinResult> {
  const tx = joined(client);
  const [before] = await tx.run<{ began: string }>(wakeAtCommitSql, [wakeMessage("transaction")]);
  const [after] = await tx.run<{ began: string }>(transactionBeganSql, []);
  if (before!.began !== after!.began) return { kind: "no_transaction" };
  try {
    const [result] = await trigger(tx, ids, projectId, [item], { ...options, binary: false });
    return result!;
  } catch (error) {
    if (error instanceof UnknownJobs) return error.results[0]!;
    throw error;
  }
}

function joined(client: SqlClient): Queryable {
  const tx: Queryable = {
    run: async <Row extends object>({ text }: { text: string }, values: readonly unknown[]) =>
      (await client.query(text, [...values])).rows as Row[],
    transaction: (work) => work(tx),
  };
  return tx;
}
