import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createJob, createTestStore, PROJECT, type TestStore, triggerJob } from "../../tests/support/store.ts";
import { forHandler, joinWorker } from "../../tests/support/workers.ts";
import { createLog } from "../telemetry/log.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { DatabaseClock } from "./database-clock.ts";
import { WaitingPolls } from "./waiting-polls.ts";

let t: TestStore;
let holder: string;
/** Their loop is not started: nothing is looked for but by hand. */
let polls: WaitingPolls;

beforeAll(async () => {
  t = await createTestStore();
  ({ holder } = await joinWorker(t.store, ["report"]));
});
afterAll(async () => await t.close());
beforeEach(() => {
  const clock = new DatabaseClock(() => performance.now());
  polls = new WaitingPolls({ store: t.store, clock, log: createLog({ level: "silent" }), metrics: new Metrics() });
});

const wait = () =>
  polls.wait({ projectId: PROJECT, holder, requestId: randomUUID(), handlers: [{ name: "report", free: 1 }] }, 20_000, {
    signal: new AbortController().signal,
    stillAllowed: async () => {},
  });

test("a node that stops says nothing of what it has not looked for: another is to be asked", async () => {
  const looked = wait();
  await polls.serveOnce();
  const fresh = wait();
  polls.close();
  expect(await looked).toEqual({ claimed: [], repeated: false });
  await expect(fresh).rejects.toMatchObject({ code: "unavailable" });
  await expect(wait()).rejects.toMatchObject({ code: "unavailable" });
});

test("the polls of one project leave room for those of others", async () => {
  const waiting = Array.from({ length: 499 }, wait);
  expect(polls.hasRoomFor(PROJECT)).toBe(true);
  waiting.push(wait());
  expect(polls.hasRoomFor(PROJECT)).toBe(false);
  expect(polls.hasRoomFor(randomUUID())).toBe(true);
  polls.close();
  await Promise.allSettled(waiting);
  expect(polls.hasRoomFor(PROJECT)).toBe(true);
});

test("a worker is given what is due before the place where the last claim left off, without another poll", async () => {
  const job = await createJob(t.store, forHandler("report"));
  const due = async (ms: number) => await triggerJob(t.store, job, { runAt: new Date(Date.now() - ms) });
  const served = async () => {
    const answer = wait();
    await polls.serveOnce();
    return (await answer).claimed.map(({ id }) => id);
  };
  const [first, second] = [await due(3_000), await due(2_000)];
  expect(await served()).toEqual([first]);
  const older = await due(9_000);
  await t.store.executions.cancel(PROJECT, second, { actor: "test" });
  expect(await served()).toEqual([older]);
});
