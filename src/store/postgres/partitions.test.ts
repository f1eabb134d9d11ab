import { expect, test } from "vitest";
import { createJob, PROJECT, triggerJob, useTestStore } from "../../../tests/support/store.ts";

const t = useTestStore();
const DAY = 86_400_000;

const names = async () =>
  (
    await t.pool.query(
      "select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r' order by 1",
    )
  ).rows.map((row) => row.name as string);

test("days are made once, however many nodes make them at once", async () => {
  const nodes = [t, t.another(), t.another(), t.another()];
  // Whoever loses may lose at any of several steps: a few rounds meet most of them.
  for (let year = 2031; year < 2043; year += 1) {
    const from = Date.parse(`${year}-01-01T12:00:00Z`);
    const made = await Promise.all(nodes.map(({ store }) => store.retention.ensurePartitions(from, from + 3 * DAY)));
    const days = ["01", "02", "03", "04"].map((day) => `${year}01${day}`);
    expect(made.flat().toSorted()).toEqual(
      ["execution", "execution_log"].flatMap((table) => days.map((day) => `${table}_${day}`)).toSorted(),
    );
    expect(await t.store.retention.ensurePartitions(from, from + 3 * DAY)).toEqual([]);
  }
});

test("a write into a day that is missing makes the day and is done", async () => {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job, { runAt: new Date("2033-05-05T05:05:05Z") });
  expect(await t.store.executions.cancel(PROJECT, id, { actor: "test" })).toMatchObject({ kind: "cancelled" });
  expect(await names()).toContain("execution_20330505");
});

test("old days are dropped while a reader and a writer are at work", async () => {
  const old = Date.parse("2020-02-02T00:00:00Z");
  await t.store.retention.ensurePartitions(old, old + DAY);
  const reader = await t.pool.connect();
  await reader.query("begin");
  await reader.query("select count(*) from punctual.execution where id > '01980000-0000-0000-0000-000000000000'");
  const drop = t.store.retention.dropPartitionsBefore(Date.parse("2020-02-03T12:00:00Z"));
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job);
  // The drop waits for the reader; nobody else waits for the drop.
  expect(await t.store.executions.cancel(PROJECT, id, { actor: "test" })).toMatchObject({ kind: "cancelled" });
  await reader.query("commit");
  reader.release();
  expect(await drop).toEqual(["execution_20200202", "execution_log_20200202"]);
  const left = await names();
  for (const table of ["execution", "execution_log"]) {
    expect(left).toContain(`${table}_20200203`);
    expect(left).not.toContain(`${table}_20200202`);
  }
});

test("a drop that was interrupted half-way is finished by the next", async () => {
  const old = Date.parse("2019-02-02T00:00:00Z");
  await t.store.retention.ensurePartitions(old, old);
  await t.pool.query("alter table punctual.execution detach partition punctual.execution_20190202");
  await t.pool.query("alter table punctual.execution_log detach partition punctual.execution_log_20190202");
  await t.store.retention.dropPartitionsBefore(old + 2 * DAY);
  const { rows } = await t.pool.query(
    "select relname from pg_class where relname in ('execution_20190202', 'execution_log_20190202')",
  );
  expect(rows).toEqual([]);
});
