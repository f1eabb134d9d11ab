import { beforeEach, expect, test } from "vitest";
import { createJob, PROJECT, useTestStore } from "../../tests/support/store.ts";
import { JobRoom } from "./job-room.ts";

const t = useTestStore();

let now = 0;
let counted: number;
beforeEach(() => {
  counted = 0;
});

/** The real store, and how often it was asked to count, which takes as long as the test says. */
function counting(tookMs = 0) {
  const count = async (projectId: string, limit: number) => {
    counted += 1;
    now += tookMs;
    return await t.store.jobs.count(projectId, limit);
  };
  return { jobs: { ...t.store.jobs, count } };
}

test("far from the limit a count is believed for five seconds, and counted again without anybody waiting", async () => {
  const room = new JobRoom(counting(), { jobsMax: 1_000_000, monotonic: () => now });
  for (let i = 0; i < 50; i += 1) await room.demand(PROJECT, counting());
  expect(counted).toBe(1);
  now += 5_000;
  const inside = { jobs: { ...t.store.jobs, count: () => expect.fail("nobody was to wait for it") } };
  await room.demand(PROJECT, inside);
  await room.demand(PROJECT, inside);
  expect(counted).toBe(2);
});

test("the nearer the limit, the sooner it counts again; near it always", async () => {
  const present = await t.store.jobs.count(PROJECT, 1_000);
  const demands = async (left: number, times: number) => {
    counted = 0;
    const room = new JobRoom(counting(), { jobsMax: present + left, monotonic: () => now });
    for (let i = 0; i < times; i += 1) await room.demand(PROJECT, counting());
    return counted;
  };
  expect([await demands(100, 20), await demands(20, 20), await demands(9, 20)]).toEqual([2, 10, 20]);
});

test("a full project is refused, and has room again as soon as a job is deleted", async () => {
  await createJob(t.store);
  const last = await createJob(t.store);
  const jobsMax = await t.store.jobs.count(PROJECT, 1_000);
  const room = new JobRoom(counting(), { jobsMax, monotonic: () => now });
  const refused = room.demand(PROJECT, counting());
  await expect(refused).rejects.toMatchObject({ code: "limit_reached" });
  await expect(refused).rejects.toThrow(`has ${jobsMax} jobs, which is as many as it may have (PUNCTUAL_JOBS_MAX)`);
  await t.store.jobs.delete(PROJECT, last.id, { actor: "test" });
  await room.demand(PROJECT, counting());
});

test("where counting takes long, a full project is not counted for every refusal", async () => {
  const jobsMax = await t.store.jobs.count(PROJECT, 1_000);
  const room = new JobRoom(counting(), { jobsMax, monotonic: () => now });
  const refuse = () => expect(room.demand(PROJECT, counting(100))).rejects.toMatchObject({ code: "limit_reached" });
  for (let i = 0; i < 10; i += 1) await refuse();
  expect(counted).toBe(1);
  now += 1_000;
  await refuse();
  expect(counted).toBe(2);
});
