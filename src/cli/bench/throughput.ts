// Executions per second: work is laid out in the queue before anybody takes it up, and then counted in the ledger, where
// only what is settled stands. Laid out is as much as a fast machine does in the time; a slower one is stopped at its end.

import { setTimeout as sleep } from "node:timers/promises";
import type { PunctualClient } from "../../client/index.ts";

const LAID_OUT_PER_SECOND = 4_000;
/** Fewer than the ledger counts. */
const LAID_OUT_MAX = 90_000;
const PER_REQUEST = 1_000;
const LOOK_MS = 100;
const FIRST_LOOK_MS = 5;
const FIRST_MS_MAX = 60_000;

export interface Throughput {
  executions: number;
  elapsedMs: number;
  perSecond: number;
}

interface Options {
  seconds: number;
  signal: AbortSignal;
  progress(text: string): void;
}

/** Triggers of a job that nobody runs yet. */
export async function layOut(client: PunctualClient, job: string, options: Options): Promise<number> {
  const wanted = Math.min(LAID_OUT_MAX, options.seconds * LAID_OUT_PER_SECOND);
  for (let made = 0; made < wanted; made += PER_REQUEST) {
    options.progress(`Laying out work: ${made} of ${wanted}`);
    const items = Array.from({ length: Math.min(PER_REQUEST, wanted - made) }, () => ({ job }));
    await client.triggers.create(items, { signal: options.signal });
  }
  return wanted;
}

/** Counts until all is done or the time is over. The time runs from when the first executions are seen to be done. */
export async function countSettled(
  client: PunctualClient,
  { jobId, laidOut, what }: { jobId: string; laidOut: number; what: string },
  { seconds, signal, progress }: Options,
): Promise<Throughput> {
  const look = async () => (await client.executions.counts({ jobId }, { signal })).succeeded;
  const askedAt = performance.now();
  let before = await look();
  while (before === 0) {
    if (performance.now() - askedAt > FIRST_MS_MAX) throw new Error(`${what}: nothing was done within a minute`);
    await sleep(FIRST_LOOK_MS, undefined, { signal });
    before = await look();
  }
  const startedAt = performance.now();
  for (;;) {
    await sleep(LOOK_MS, undefined, { signal });
    const done = (await look()) - before;
    const elapsedMs = performance.now() - startedAt;
    progress(`${what}: ${done} in ${Math.round(elapsedMs / 1000)} s`);
    if (before + done >= laidOut || elapsedMs >= seconds * 1_000)
      return { executions: done, elapsedMs, perSecond: (done * 1_000) / elapsedMs };
  }
}
