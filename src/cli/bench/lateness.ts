// How late fires are when there is little to do: jobs that fire every second, each a little after the one before, so that
// fires come evenly. Late is what the ledger says: from the instant to the claim, by the database's clock.

import { setTimeout as sleep } from "node:timers/promises";
import type { PunctualClient } from "../../client/index.ts";
import { percentile } from "./percentile.ts";
import type { Stage } from "./stage.ts";

const TAG = "bench-lateness";
const PERIOD_MS = 1_000;
const JOBS_AT_ONCE = 10;
/** After the last job is saved, before the first fire: planners need to have seen them all. */
const LEAD_MS = 2_500;
/** For the last fires to end. */
const TAIL_MS_MAX = 30_000;
const LOOK_MS = 200;

export interface Lateness {
  /** Fires a second. */
  rate: number;
  fires: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export async function measureLateness(stage: Stage, { rate }: { rate: number }): Promise<Lateness> {
  const { nodes, seconds, signal, progress } = stage;
  const fires = rate * seconds;
  return await nodes.dispatching(async () => {
    const window = await saveJobs(stage, rate);
    const from = window.from.toISOString();
    const until = window.to.getTime() + TAIL_MS_MAX;
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal });
      const { succeeded } = await nodes.client.executions.counts({ tag: [TAG], from }, { signal });
      progress(`Lateness at ${rate} fires/s: ${succeeded} of ${fires}`);
      if (succeeded >= fires) break;
      if (Date.now() > until)
        throw new Error(
          `${succeeded} of ${fires} fires were delivered ${TAIL_MS_MAX / 1_000} s after the last was due`,
        );
    }
    return { rate, fires, ...(await readLateness(nodes.client, from, signal)) };
  });
}

/** They end by themselves: each fires once for every second of the window. */
async function saveJobs({ nodes, target, seconds, signal, progress }: Stage, rate: number) {
  const { clock } = await nodes.client.health.detailed();
  // A generous guess at how long saving takes, by the database's clock.
  const saving = 1_000 + rate * 5;
  const base = Date.now() + (clock?.offsetMs ?? 0) + LEAD_MS + saving;
  const save = async (i: number) => {
    const startsAt = base + Math.round((i * PERIOD_MS) / rate) - PERIOD_MS;
    const schedule = {
      every: `${PERIOD_MS}ms`,
      startsAt: new Date(startsAt).toISOString(),
      maxRuns: seconds,
    };
    const job = { name: `lateness-${i}`, tags: [TAG], schedule, target: { type: "http" as const, url: target.url } };
    await nodes.client.jobs.create(job, { signal });
  };
  for (let i = 0; i < rate; i += JOBS_AT_ONCE) {
    progress(`Saving jobs: ${i} of ${rate}`);
    await Promise.all(Array.from({ length: Math.min(JOBS_AT_ONCE, rate - i) }, (_, k) => save(i + k)));
  }
  return { from: new Date(base - PERIOD_MS), to: new Date(base + seconds * PERIOD_MS) };
}

async function readLateness(client: PunctualClient, from: string, signal: AbortSignal) {
  const lateness: number[] = [];
  for await (const execution of client.executions.all({ tag: [TAG], from, limit: 200 }, { signal }))
    lateness.push(execution.latenessMs ?? 0);
  return {
    p50Ms: percentile(lateness, 0.5),
    p99Ms: percentile(lateness, 0.99),
    maxMs: percentile(lateness, 1),
  };
}
