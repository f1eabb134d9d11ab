import { expect, onTestFinished, test } from "vitest";
import { createTestStore } from "../../tests/support/store.ts";
import { createLog } from "../telemetry/log.ts";
import { Retention } from "./retention.ts";

const DAY_MS = 86_400_000;

async function days(pool: { query(text: string): Promise<{ rows: { name: string }[] }> }): Promise<string[]> {
  const { rows } = await pool.query(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'punctual.execution'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

test("of several retentions the longest counts, until nobody has said it for a week", async () => {
  const t = await createTestStore();
  onTestFinished(() => t.close());
  const { store, pool } = t;
  const now = (await store.now()).getTime();
  const [old] = await store.retention.ensurePartitions(now - 60 * DAY_MS, now - 60 * DAY_MS);
  const log = createLog({ level: "silent" });
  const service = new Retention({ store, log }, { retentionMs: 90 * DAY_MS });
  const program = new Retention({ store, log }, { retentionMs: 30 * DAY_MS });

  await service.sweepOnce();
  expect((await program.sweepOnce()).dropped).toEqual([]);
  expect(await days(pool)).toContain(old);

  await pool.query("update punctual.kept_for set said_at = now() - interval '8 days'");
  expect((await program.sweepOnce()).dropped).toContain(old);
  expect(await days(pool)).not.toContain(old);
});
