import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/support/database.ts";
import { Database, statement } from "./database.ts";

const insert = statement("insert_noted", "insert into noted (n) values ($1)");
const look = statement("look_at_noted", "select n from noted order by n");

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  await database.pool.query("create table noted (n integer primary key)");
  // One connection, so that whoever comes next gets the one that was left.
  db = new Database({ url: database.url, prepared: true, connectionsMax: 1 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function noted(): Promise<number[]> {
  return (await db.run<{ n: number }>(look, [])).map(({ n }) => n);
}

test("what is still to be done when a transaction fails is refused, and never reaches whoever has the connection next", async () => {
  const late: Promise<unknown>[] = [];
  const failing = db.transaction(async (tx) => {
    const begin = (n: number) => tx.transaction((inner) => inner.run(insert, [n]));
    late.push(
      begin(1),
      tx.transaction(() => Promise.reject(new Error("the second fails"))),
      begin(3),
      begin(4),
    );
    for (const one of late) one.catch(() => {});
    await Promise.all(late);
  });
  await expect(failing).rejects.toThrow("the second fails");
  await db.transaction(async (tx) => void (await tx.run(insert, [10])));
  await Promise.allSettled(late);
  expect(await noted()).toEqual([10]);
});

test("a transaction that answers its commit with a rollback has failed", async () => {
  const swallowing = db.transaction(async (tx) => {
    await tx.run(insert, [20]);
    await tx.run(insert, [20]).catch(() => {});
  });
  await expect(swallowing).rejects.toThrow("rolled back");
  expect(await noted()).not.toContain(20);
});

test("a connection plans each statement the way it asks for, whatever ran on it before", async () => {
  const mode = "select current_setting('plan_cache_mode') as mode";
  const kept = statement("mode_when_kept", mode, "kept");
  const anew = statement("mode_when_anew", mode);
  const modeOf = async (one: typeof kept) => (await db.run<{ mode: string }>(one, []))[0]!.mode;
  for (const [one, expected] of [
    [anew, "force_custom_plan"],
    [kept, "force_generic_plan"],
    [kept, "force_generic_plan"],
    [anew, "force_custom_plan"],
  ] as const)
    expect(await modeOf(one)).toBe(expected);
  await modeOf(kept);
  const inside = await db.transaction(async (tx) => {
    const modes = [];
    for (const one of [kept, anew, kept]) modes.push((await tx.run<{ mode: string }>(one, []))[0]!.mode);
    return modes;
  });
  expect(inside).toEqual(["force_generic_plan", "force_custom_plan", "force_generic_plan"]);
  const partly = await db.transaction(async (tx) => {
    await expect(
      tx.transaction(async (inner) => {
        await inner.run(kept, []);
        throw new Error("this part of it is undone");
      }),
    ).rejects.toThrow("undone");
    return (await tx.run<{ mode: string }>(kept, []))[0]!.mode;
  });
  expect(partly).toBe("force_generic_plan");
  const failing = db.transaction(async (tx) => {
    await tx.run(kept, []);
    throw new Error("all of it is undone");
  });
  await expect(failing).rejects.toThrow("undone");
  expect(await modeOf(anew)).toBe("force_custom_plan");
  expect(await modeOf(kept)).toBe("force_generic_plan");
});
