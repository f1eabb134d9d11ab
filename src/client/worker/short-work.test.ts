// Work that takes no time: more of it is asked for than there are slots, and what cannot begin soon is given back.

import { expect, test, vi } from "vitest";
import type { HandedOut } from "../../contract/worker.ts";
import { openDesk } from "./testing/desk.ts";
import { WAIT } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";

const COUNT = 500;
const CONCURRENCY = 2;

/** A handler that returns at once, until it is told to wait. */
function handlerThat() {
  const seen = { begun: [] as string[], atOnce: 0, running: 0 };
  const finish: (() => void)[] = [];
  let waits = false;
  return {
    seen,
    /** From the middle on. */
    waitLater: () => {
      waits = true;
    },
    finishAll: () => {
      waits = false;
      for (const end of finish.splice(0)) end();
    },
    handler: async ({ id }: { id: string }) => {
      seen.begun.push(id);
      seen.running += 1;
      seen.atOnce = Math.max(seen.atOnce, seen.running);
      if (waits && seen.begun.length > COUNT / 2) await new Promise<void>((resolve) => finish.push(resolve));
      else await Promise.resolve();
      seen.running -= 1;
    },
  };
}

async function startWith(handler: (run: { id: string }) => Promise<void>) {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", { concurrency: CONCURRENCY }, handler);
  const given: HandedOut[] = Array.from({ length: COUNT }, () => desk.give());
  await worker.start();
  return { desk, worker, given };
}

test("few polls bring much, and no more runs at once than there are slots", async () => {
  const { seen, handler } = handlerThat();
  const { desk, worker, given } = await startWith(handler);
  await vi.waitUntil(() => desk.settlements.length === COUNT, WAIT);
  await worker.stop();
  expect([...seen.begun].sort()).toEqual(given.map(({ id }) => id).sort());
  expect(desk.settlements.every(({ outcome }) => outcome === "succeeded")).toBe(true);
  expect(seen.atOnce).toBe(CONCURRENCY);
  expect(desk.count("claim")).toBeLessThan(COUNT / CONCURRENCY / 2);
});

test("a poll that waits at the server asks for no more than could begin", async () => {
  const { handler } = handlerThat();
  const { desk } = await startWith(handler);
  await vi.waitUntil(() => desk.settlements.length === COUNT && desk.polls === 1, WAIT);
  const claims = desk.received.filter(({ action }) => action === "claim").map(({ body }) => body);
  const asked = (body: (typeof claims)[number]) => (body.handlers as { free: number }[])[0]!.free;
  expect(claims.some((body) => asked(body) > CONCURRENCY)).toBe(true);
  for (const body of claims) if (asked(body) > CONCURRENCY) expect(body.waitMs).toBe(0);
  expect(claims.at(-1)).toMatchObject({ handlers: [{ free: CONCURRENCY }], waitMs: expect.any(Number) });
  expect(claims.at(-1)!.waitMs).toBeGreaterThan(0);
});

test("when it takes long of a sudden, what waits is given back and never begun", async () => {
  const { seen, waitLater, finishAll, handler } = handlerThat();
  waitLater();
  const { desk, worker } = await startWith(handler);
  const returned = () => desk.settlements.filter(({ outcome }) => outcome === "returned").map(({ id }) => id);
  await vi.waitUntil(() => returned().length > 0, WAIT);
  finishAll();
  await worker.stop();
  expect(seen.begun.filter((id) => returned().includes(id))).toEqual([]);
  expect(new Set(desk.settlements.map(({ token }) => token)).size).toBe(desk.settlements.length);
});

test("a stop gives back what waits, and lets end what runs", async () => {
  const { seen, waitLater, finishAll, handler } = handlerThat();
  waitLater();
  const { desk, worker } = await startWith(handler);
  await vi.waitUntil(() => seen.running === CONCURRENCY && seen.begun.length > COUNT / 2, WAIT);
  const stopping = worker.stop();
  await vi.waitUntil(() => desk.settlements.some(({ outcome }) => outcome === "returned"), WAIT);
  expect(seen.running).toBe(CONCURRENCY);
  finishAll();
  await stopping;
  const ended = desk.settlements.filter(({ outcome }) => outcome === "succeeded").map(({ id }) => id);
  expect(ended.sort()).toEqual([...seen.begun].sort());
});
