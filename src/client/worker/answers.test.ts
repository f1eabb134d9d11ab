import { expect, test, vi } from "vitest";
import { openDesk } from "./testing/desk.ts";
import { WAIT } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";

test("answers are sent together, and again until the server has taken them", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", { concurrency: 50 }, (run) => run.payload);
  const given = Array.from({ length: 50 }, (_, payload) => desk.give({ payload }));
  let failures = 0;
  desk.fault = (action) => {
    if (action !== "settle" || failures === 2) return undefined;
    failures += 1;
    return failures === 1 ? "lose" : { status: 503, code: "unavailable" };
  };
  await worker.start();
  const settled = await Promise.all(given.map((execution) => desk.settlementOf(execution)));
  expect(settled.map(({ result }) => result)).toEqual(given.map(({ payload }) => payload));
  await vi.waitUntil(() => desk.count("settle") >= 3, WAIT);
  expect(desk.settlements).toHaveLength(50);
  expect(desk.count("settle")).toBeLessThan(10);
  expect(reported.map(({ context }) => context.during)).toEqual(["settle", "settle"]);
});

test("while answers cannot be delivered nothing more is asked for", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  worker.handle("test", () => {});
  let away = true;
  desk.fault = (action) => (action === "settle" && away ? { status: 503, code: "unavailable" } : undefined);
  const given = Array.from({ length: 50 }, () => desk.give());
  await worker.start();
  // The slot is free again, but its answer is not delivered. What was asked for before that was known comes, and no more.
  await vi.waitUntil(() => desk.count("settle") >= 2, WAIT);
  const claims = desk.count("claim");
  await vi.waitUntil(() => desk.count("settle") >= 4, WAIT);
  expect(claims).toBeLessThan(50);
  expect(desk.count("claim")).toBe(claims);
  away = false;
  await Promise.all(given.map((execution) => desk.settlementOf(execution)));
});

test("one answer that the server cannot read is settled without its content and costs the others nothing", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", { concurrency: 3 }, (run) => run.payload);
  desk.fault = (action, body) =>
    action === "settle" && JSON.stringify(body).includes("poison")
      ? { status: 400, code: "validation_failed" }
      : undefined;
  const given = ["a", "poison", "b"].map((payload) => desk.give({ payload }));
  await worker.start();
  const settled = await Promise.all(given.map((execution) => desk.settlementOf(execution)));
  expect(settled.map(({ outcome }) => outcome)).toEqual(["succeeded", "failed", "succeeded"]);
  expect(settled[1]).toMatchObject({ retryable: false, error: { code: "invalid_result" } });
  expect(reported).toMatchObject([{ context: { during: "settle", executionId: given[1]!.id } }]);
});

test("an answer that the server refuses is reported, and the worker goes on", async () => {
  const desk = await openDesk();
  const { worker, reported } = workerAt(desk);
  worker.handle("test", () => {});
  await worker.start();
  const stale = desk.give();
  desk.statuses.set(stale.id, "lost");
  await desk.settlementOf(stale);
  await desk.settlementOf(desk.give());
  await vi.waitUntil(() => reported.length === 1, WAIT);
  expect(reported[0]).toMatchObject({
    error: { message: 'the server did not take the answer "succeeded": claim_lost' },
    context: { during: "settle", executionId: stale.id },
  });
});
