import { expect, test, vi } from "vitest";
import { WorkerStopped } from "./abort-reason.ts";
import { openDesk } from "./testing/desk.ts";
import { obedient, WAIT, waiting } from "./testing/handlers.ts";
import { workerAt } from "./testing/workers.ts";

test("stop lets handlers finish, delivers what they said, and leaves", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { drainMs: 20_000 });
  const { finish, handler } = waiting();
  worker.handle("test", { concurrency: 2 }, async (run) => {
    await handler(run);
    run.log.info("the last line");
    return "done";
  });
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => finish.length === 1 && desk.polls === 1, WAIT);
  const stops = [worker.stop(), worker.stop()];
  await vi.waitUntil(() => desk.polls === 0, WAIT);
  const late = desk.give();
  finish[0]!();
  await Promise.all([...stops, worker.stopped]);
  expect(desk.settlements).toMatchObject([{ token: given.token, result: "done" }]);
  expect(desk.logs).toMatchObject([{ token: given.token, lines: [{ message: "the last line" }] }]);
  expect(desk.received.at(-1)!.action).toBe("leave");
  expect(desk.settlements.some(({ token }) => token === late.token)).toBe(false);
  expect(() => worker.start()).toThrow("make a new one");
});

test("what a poll had claimed when it was cut short by stop is still run", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { drainMs: 20_000 });
  worker.handle("test", () => "done");
  await worker.start();
  await vi.waitUntil(() => desk.polls === 1, WAIT);
  const given = desk.give({}, { onHangUp: true });
  await worker.stop();
  expect(desk.settlements).toMatchObject([{ token: given.token, result: "done" }]);
});

test("handlers that do not finish in time are aborted, and their executions go back at once", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk, { drainMs: 50 });
  const { runs, handler } = obedient();
  const { finish, handler: deaf } = waiting();
  worker.handle("test", handler).handle("deaf", deaf);
  await worker.start();
  const given = [desk.give(), desk.give({ handler: "deaf" })];
  await vi.waitUntil(() => runs.length + finish.length === 2, WAIT);
  await worker.stop();
  expect(runs[0]!.signal.reason).toBeInstanceOf(WorkerStopped);
  for (const execution of given)
    expect(await desk.settlementOf(execution)).toMatchObject({
      outcome: "failed",
      error: { code: "shutdown" },
      retryAfter: "0s",
    });
  expect(desk.received.at(-1)!.action).toBe("leave");
});

test("a worker that is drained takes nothing more, finishes however long it takes, and leaves", async () => {
  const desk = await openDesk();
  desk.heartbeatMs = 50;
  const { worker } = workerAt(desk);
  const { finish, handler } = waiting();
  worker.handle("test", { concurrency: 2 }, handler);
  await worker.start();
  const given = desk.give();
  await vi.waitUntil(() => finish.length === 1 && desk.polls === 1, WAIT);
  desk.draining = true;
  await vi.waitUntil(() => desk.polls === 0, WAIT);
  desk.give();
  finish[0]!();
  await worker.stopped;
  expect(desk.settlements).toMatchObject([{ token: given.token, outcome: "succeeded" }]);
  expect(desk.received.at(-1)!.action).toBe("leave");
});
