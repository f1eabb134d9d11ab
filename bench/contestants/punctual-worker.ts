// A worker of Punctual in a process of its own: it speaks HTTP with a node, and counts every execution by its number.

import { Worker } from "../support/product.ts";

export interface WorkerOptions {
  url: string;
  key: string;
  handler: string;
  concurrency: number;
  /** Numbers from 0; other workers get their share of them. */
  count: number;
}

let worker: InstanceType<typeof Worker>;
let counts: Uint8Array;
let firstAt = 0;
let all = 0;

export async function start({ url, key, handler, concurrency, count }: WorkerOptions): Promise<void> {
  counts = new Uint8Array(count);
  worker = new Worker({ url, key });
  worker.handle(handler, { concurrency }, async (run) => {
    if (firstAt === 0) firstAt = Date.now();
    counts[(run.payload as { id: number }).id]!++;
    all++;
    return null;
  });
  await worker.start();
}

export function howMany(): number {
  return all;
}

/** How often each was done here, and when the first of them began. */
export function done(): { counts: Uint8Array; firstAt: number } {
  return { counts, firstAt };
}

export async function stop(): Promise<void> {
  await worker.stop();
}
