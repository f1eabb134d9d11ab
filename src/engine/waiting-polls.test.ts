import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestStore, PROJECT, type TestStore } from "../../tests/support/store.ts";
import { joinWorker } from "../../tests/support/workers.ts";
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
