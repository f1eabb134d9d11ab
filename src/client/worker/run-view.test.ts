import { expect, test, vi } from "vitest";
import { openDesk } from "./testing/desk.ts";
import { workerAt } from "./testing/workers.ts";

test("a run can be taken apart and copied with all that belongs to it", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const seen = vi.fn();
  worker.handle("test", async (run) => {
    const { signal, log, progress } = run;
    const copy = { ...run };
    seen({ sameSignal: copy.signal === signal, sameLog: copy.log === log, keys: Object.keys(copy).toSorted() });
    log.info("taken apart");
    await progress(0.5);
    return { at: copy.scheduledAt.toISOString(), until: copy.deadline.toISOString(), aborted: signal.aborted };
  });
  await worker.start();
  const given = desk.give();
  expect(await desk.settlementOf(given)).toMatchObject({
    result: { at: given.scheduledAt, until: given.deadline, aborted: false },
  });
  expect(desk.logs).toMatchObject([{ token: given.token, lines: [{ message: "taken apart" }] }]);
  expect(desk.progress.get(given.id)).toEqual({ fraction: 0.5 });
  const keys =
    "attempt deadline handler id idempotencyKey job log payload progress scheduledAt signal traceparent trigger";
  expect(seen).toHaveBeenCalledWith({ sameSignal: true, sameLog: true, keys: keys.split(" ") });
});

test("runs of different lengths are each ended when their own time is over", async () => {
  const desk = await openDesk();
  const { worker } = workerAt(desk);
  const ended: string[] = [];
  worker.handle("test", { concurrency: 3 }, async (run) => {
    await new Promise((_, reject) => run.signal.addEventListener("abort", () => reject(run.signal.reason)));
  });
  await worker.start();
  const given = [desk.give({ timeoutMs: 600 }), desk.give({ timeoutMs: 50 }), desk.give({ timeoutMs: 300 })];
  for (const one of [given[1]!, given[2]!, given[0]!]) {
    expect(await desk.settlementOf(one)).toMatchObject({ outcome: "failed", error: { code: "timeout" } });
    ended.push(one.id);
  }
  expect(desk.settlements.map(({ id }) => id)).toEqual(ended);
});
