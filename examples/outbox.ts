// An outbox for free: the order and the mail about it are one transaction. Either both happen, or neither does; no order
// without a mail because the program died in between, and no mail about an order that was rolled back.
//
//   DATABASE_URL=postgres://… node --import tsx examples/outbox.ts

import pg from "pg";
import { Punctual } from "punctual";

const database = process.env.DATABASE_URL;
if (database === undefined) throw new Error("set DATABASE_URL: the program's tables and Punctual's share a database");

const pool = new pg.Pool({ connectionString: database });
await pool.query("create table if not exists example_order (id text primary key)");

const p = new Punctual({ app: "outbox-example", release: "1", database });
const mailed: string[] = [];
p.job("confirm-order", {}, async (run) => {
  const { order } = run.payload as { order: string };
  mailed.push(order);
});
await p.start();

async function placeOrder(order: string, pay: () => void): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("insert into example_order (id) values ($1)", [order]);
    // Part of the transaction: nobody sees it before the commit, and nobody ever does after a rollback.
    await p.trigger("confirm-order", { order }, { client, key: order });
    pay();
    await client.query("commit");
    console.log(`${order}: placed`);
  } catch (error) {
    await client.query("rollback");
    console.log(`${order}: rolled back, because ${(error as Error).message}`);
  } finally {
    client.release();
  }
}

await placeOrder("order-1", () => {
  throw new Error("the card was declined");
});
await placeOrder("order-2", () => {});

while (mailed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
await p.stop();
const { rows } = await pool.query("select id from example_order order by id");
console.log(`orders: ${rows.map(({ id }) => id).join(", ")}`);
console.log(`mailed: ${mailed.join(", ")}`);
await pool.end();
