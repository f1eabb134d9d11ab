import type pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../tests/support/database.ts";
import { makeProgram, until } from "../../tests/support/programs.ts";
import type { Json } from "../contract/json.ts";
import type { Punctual } from "./index.ts";

let database: TestDatabase;
let client: pg.PoolClient;
let shop: Punctual;
let sent: Json[];

beforeEach(async () => {
  database = await createTestDatabase();
  onTestFinished(() => database.drop());
  await database.pool.query("create table orders (id int primary key)");
  client = await database.pool.connect();
  onTestFinished(() => client.release());
  shop = makeProgram(database.url);
  sent = [];
  shop.job("send-receipt", {}, (run) => void sent.push(run.payload));
  shop.job("done", {}, () => {});
  await shop.start();
});

/** Everything that was due before is done: what was not sent by then will not be. */
async function barrier(): Promise<void> {
  const { executionId } = await shop.trigger("done");
  await until(async () => {
    const { rowCount } = await database.pool.query("select from punctual.execution where id = $1", [executionId]);
    return rowCount === 1;
  });
}

async function order(id: number, options: { key?: string } = {}) {
  await client.query("insert into orders values ($1)", [id]);
  return await shop.trigger("send-receipt", { order: id }, { client, ...options });
}

test("a trigger in a transaction runs when that commits, and not before", async () => {
  await client.query("begin");
  await order(1);
  await barrier();
  expect(sent).toEqual([]);
  await client.query("commit");
  await until(() => sent.length === 1);
  expect(sent).toEqual([{ order: 1 }]);
});

test("the commit itself wakes the program, and nothing is said before it", async () => {
  const listener = await database.pool.connect();
  onTestFinished(() => listener.release(true));
  const wakes: string[] = [];
  listener.on("notification", ({ payload = "" }) => {
    const { from, kind } = JSON.parse(payload) as { from: string; kind: string };
    if (from === "transaction") wakes.push(kind);
  });
  await listener.query("listen punctual");
  await client.query("begin");
  await order(1);
  await barrier();
  // An answer of the listener's own session: whatever was said before it has arrived.
  await listener.query("select 1");
  expect(wakes).toEqual([]);
  await client.query("commit");
  await until(() => wakes.length === 1);
});

test("a rollback leaves no trace: neither the order nor the execution, and the key is free", async () => {
  await client.query("begin");
  await order(1, { key: "order-1" });
  await client.query("rollback");
  await barrier();
  expect(sent).toEqual([]);
  const { rows } = await database.pool.query(
    "select (select count(*)::int from orders) as orders, (select count(*)::int from punctual.queue) as queued, (select count(*)::int from punctual.trigger_key) as keys",
  );
  expect(rows).toEqual([{ orders: 0, queued: 0, keys: 0 }]);
  await client.query("begin");
  expect(await order(1, { key: "order-1" })).toMatchObject({ deduplicated: false });
  await client.query("commit");
  await until(() => sent.length === 1);
});

test("a key that was used before gives the execution it made, in a transaction too", async () => {
  const first = await shop.trigger("send-receipt", { order: 1 }, { key: "order-1" });
  await client.query("begin");
  expect(await order(1, { key: "order-1" })).toEqual({ executionId: first.executionId, deduplicated: true });
  await client.query("commit");
  await barrier();
  expect(sent).toHaveLength(1);
});

test("an unknown job is refused, and the transaction goes on as its owner likes", async () => {
  await client.query("begin");
  await client.query("insert into orders values (1)");
  await expect(shop.trigger("send-letter", {}, { client })).rejects.toThrow('there is no job "send-letter"');
  await expect(shop.trigger("send-letter", {}, { client, key: "k" })).rejects.toThrow('there is no job "send-letter"');
  await client.query("commit");
  expect((await database.pool.query("select from orders")).rowCount).toBe(1);
});

test("a client without a transaction is refused, since there would be nothing to join", async () => {
  for (const outside of [client, database.pool])
    await expect(shop.trigger("send-receipt", { order: 1 }, { client: outside })).rejects.toThrow(
      "is in no transaction",
    );
  await barrier();
  expect(sent).toEqual([]);
});

test("whatever has query(text, values) will do", async () => {
  const said: string[] = [];
  const wrapped = {
    query: (text: string, values: unknown[]) => {
      said.push(text);
      return client.query(text, values);
    },
  };
  await client.query("begin");
  await shop.trigger("send-receipt", { order: 1 }, { client: wrapped, delay: "1h" });
  await client.query("commit");
  expect(said.length).toBeGreaterThan(0);
  const { rows } = await database.pool.query(
    "select run_at > now() + interval '59 minutes' as later from punctual.queue",
  );
  expect(rows).toEqual([{ later: true }]);
});
