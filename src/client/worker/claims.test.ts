import { expect, test, vi } from "vitest";
import { openDesk } from "./testing/desk.ts";
import { WAIT, waiting } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";

test("no more runs at once than there are slots, and none waits while one is free", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const { runs, finish, handler } = waiting();
  const other = vi.fn();
  worker.handle("test", { concurrency: 2 }, handler);
  worker.handle("other", () => other());
  await worker.start();
  for (let n = 0; n < 5; n += 1) desk.give();
  await vi.waitUntil(() => runs.length === 2, WAIT);
  // The other handler is asked for although all slots of the first are taken.
  await desk.settlementOf(desk.give({ handler: "other" }));
  expect(runs).toHaveLength(2);
  expect(other).toHaveBeenCalledOnce();
  finish.shift()!();
  await vi.waitUntil(() => runs.length === 3, WAIT);
  await vi.waitUntil(() => {
    finish.shift()?.();
    return desk.settlements.length === 6;
  }, WAIT);
  expect(runs).toHaveLength(5);
});

test("while all slots are taken nothing is asked for, and a free slot is asked for at once", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 50;
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", handler);
  await worker.start();
  desk.give();
  await vi.waitUntil(() => finish.length === 1, WAIT);
  const [claims, beats] = [desk.count("claim"), desk.count("heartbeat")];
  // Of what it wants to say soon, all is said before the second of these.
  await vi.waitUntil(() => desk.count("heartbeat") >= beats + 2, WAIT);
  expect({ claims: desk.count("claim"), polls: desk.polls }).toEqual({ claims, polls: 0 });
  finish[0]!();
  await vi.waitUntil(() => desk.polls === 1, WAIT);
});

test("a handler that no waiting poll asks for gets a poll of its own", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", handler).handle("idle", () => {});
  desk.give();
  await worker.start();
  await vi.waitUntil(() => finish.length === 1 && desk.polls === 1, WAIT);
  finish[0]!();
  await vi.waitUntil(() => desk.polls === 2, WAIT);
  await desk.settlementOf(desk.give({ handler: "idle" }));
  const second = desk.give();
  await vi.waitUntil(() => finish.length === 2, WAIT);
  finish[1]!();
  await desk.settlementOf(second);
});

test("a node that answers polls at once because it is about to stop is not asked again and again", async () => {
  // The jitter's middle: it rests for 100, 200, 400 ms.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const desk = await openDesk();
  desk.closing = true;
  const { worker } = workerAt(desk);
  worker.handle("test", () => {});
  const began = performance.now();
  await worker.start();
  await vi.waitUntil(() => desk.count("claim") === 4, WAIT);
  expect(performance.now() - began).toBeGreaterThan(650);
  desk.closing = false;
  await desk.settlementOf(desk.give());
});

test("a claim whose answer was lost is asked for again under the same request id", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", () => "done");
  let lost = 0;
  desk.fault = (action) => (action === "claim" && lost++ === 0 ? "lose" : undefined);
  const given = desk.give();
  await worker.start();
  expect(await desk.settlementOf(given)).toMatchObject({ result: "done" });
  const ids = desk.received.filter(({ action }) => action === "claim").map(({ body }) => body.requestId);
  expect(ids[1]).toBe(ids[0]);
});
