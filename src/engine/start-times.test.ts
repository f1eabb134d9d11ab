import { expect, test } from "vitest";
import { StartTimes } from "./start-times.ts";

const monotonic = () => performance.now();

/** Adds items that are due so many milliseconds from now, and resolves when so many of them have begun. */
async function begun(dueIn: number[], { parts = 1 } = {}): Promise<{ dueAt: number; begunAt: number }[]> {
  const from = monotonic();
  const due = dueIn.map((ms) => ({ at: from + ms, item: from + ms }));
  return await new Promise((resolve) => {
    const all: { dueAt: number; begunAt: number }[] = [];
    const times = new StartTimes<number>(monotonic, (items) => {
      for (const dueAt of items) all.push({ dueAt, begunAt: monotonic() });
      if (all.length === dueIn.length) resolve(all);
    });
    const size = Math.ceil(due.length / parts);
    for (let at = 0; at < due.length; at += size) times.add(due.slice(at, at + size));
  });
}

test("nothing begins before its time, and what is due sooner begins sooner, in whichever order it came", async () => {
  const all = await begun([30, 5, 20, -10, 5.5, 12], { parts: 3 });
  for (const { dueAt, begunAt } of all) expect(begunAt).toBeGreaterThanOrEqual(dueAt);
  expect(all.map(({ dueAt }) => dueAt)).toEqual(all.map(({ dueAt }) => dueAt).toSorted((a, b) => a - b));
});

test("all of one moment begin, and others have their turn in between", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const all = await begun(Array.from({ length: 1_000 }, () => 5));
  clearImmediate(next);
  expect(all.length).toBe(1_000);
  expect(new Set(all.map(({ begunAt }) => begunAt)).size).toBeGreaterThan(1);
  expect(turns).toBeGreaterThan(2);
});
