// How many fires one node can plan: turn instants of schedules into rows of the queue.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { copyJob } from "./contestants/copied-jobs.ts";
import { settleDown, withDatabase } from "./contestants/race.ts";
import type { Claim, Sample } from "./support/claim.ts";
import { processorSeconds } from "./support/processor-time.ts";
import { ServiceNode } from "./support/service-node.ts";
import type { Stage } from "./support/stage.ts";

/** Jobs that fire every second: as many fires a second are asked for. */
const JOBS = 60_000;
const JOBS_QUICK = 2_000;
const SECONDS = 8;
const SECONDS_QUICK = 2;
/** The first pass finds the whole horizon unplanned. */
const SETTLING_MS = 2_500;

export const claim: Claim = {
  name: "planner",
  title: "Planning",
  about: `One node with the role *planner* alone, and more jobs that fire every second than it can plan. Counted are the fires that came into the queue in a stretch of ${SECONDS} s, after a
start of ${SETTLING_MS / 1_000} s. No fire may be planned twice: the queue's key refuses it, and the count is compared with the jobs' own. The peers keep no schedules of single jobs by the
thousand, so there is nobody to compare with.`,
  size: (quick) => `${(quick ? JOBS_QUICK : JOBS).toLocaleString("en-US")} jobs, each firing every second`,
  measures: [
    { key: "perSecond", label: "fires planned/s", better: "more" },
    { key: "processMicros", label: "its CPU µs", better: "less" },
    { key: "storageMicros", label: "storage CPU µs", better: "less" },
    { key: "aheadMs", label: "planned ahead ms", better: "more" },
  ],
  plots: [],
  entries: [{ name: "Punctual", kind: "ours", settings: "one node, `PUNCTUAL_ROLES=planner`", run: plan }],
  goals: [{ text: "fires planned/s: at least 20,000", atLeast: 20_000, value: (reading) => reading.ours("perSecond") }],
};

async function plan(stage: Stage): Promise<Sample> {
  return await withDatabase(stage, async (databaseUrl) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await layJobs(databaseUrl, client, stage.quick ? JOBS_QUICK : JOBS);
      await settleDown(stage);
      return await planned(stage, databaseUrl, client);
    } finally {
      await client.end();
    }
  });
}

/** They begin to fire in the past, so that all are due when the planner starts. */
async function layJobs(databaseUrl: string, client: pg.Client, count: number): Promise<void> {
  const node = await ServiceNode.start({ databaseUrl, roles: "api" });
  try {
    // Nobody calls it.
    const target = { type: "http" as const, url: "http://127.0.0.1:9/" };
    await node.client.jobs.create({ name: "tick", schedule: { every: "1s" }, target });
    await copyJob(client, "tick", { from: 1, to: count });
  } finally {
    await node.stop();
  }
}

async function planned({ postgres, quick }: Stage, databaseUrl: string, client: pg.Client): Promise<Sample> {
  const copied = await unqueued(client);
  const node = await ServiceNode.start({ databaseUrl, roles: "planner" });
  try {
    await sleep(SETTLING_MS);
    const storageSpent = () => processorSeconds(postgres.pid) ?? Number.NaN;
    const before = { ...(await look(client)), own: node.spent(), storage: storageSpent() };
    await sleep((quick ? SECONDS_QUICK : SECONDS) * 1_000);
    const after = { ...(await look(client)), own: node.spent(), storage: storageSpent() };
    const lost = (await unqueued(client)) - copied;
    if (lost !== 0) throw new Error(`cursors and queue differ by ${lost} fires`);
    const fires = after.fires - before.fires;
    return {
      perSecond: (fires / (after.atMs - before.atMs)) * 1_000,
      processMicros: ((after.own - before.own) / fires) * 1e6,
      storageMicros: ((after.storage - before.storage) / fires) * 1e6,
      aheadMs: after.aheadMs,
    };
  } finally {
    await node.stop();
  }
}

/** One statement, so that moment and count belong together. */
async function look(client: pg.Client): Promise<{ fires: number; atMs: number; aheadMs: number }> {
  const { rows } = await client.query(
    `select (select count(*) from punctual.queue)::integer as fires, extract(epoch from now())::float8 * 1000 as "atMs",
       (select extract(epoch from min(next_fire_at) - now())::float8 * 1000 from punctual.cursor) as "aheadMs"`,
  );
  return rows[0];
}

/** Runs that cursors have counted and the queue does not have: those the copied job had before it was copied. */
async function unqueued(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    "select coalesce(sum(runs), 0) - (select count(*) from punctual.queue) as count from punctual.cursor",
  );
  return Number(rows[0]!.count);
}
