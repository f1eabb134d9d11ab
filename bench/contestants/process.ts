// The inside of a contestant's process: it opens the contestant it is told, lets it work, and counts every execution by its
// number. What was lost or done twice is told with every result.

import { setTimeout as sleep } from "node:timers/promises";
import { processorSeconds } from "../support/processor-time.ts";
import { percentile } from "../support/statistics.ts";
import type { Contestant, Handle, Item, Open, Place } from "./contestant.ts";
import { Deliveries } from "./deliveries.ts";
import { fails, isLong, LONG_MS, urgencyOf } from "./mix.ts";

export interface Opening {
  /** Path from bench/: "peers/pg-boss.ts". */
  module: string;
  place: Place;
  settings: unknown;
  /** The storage's process. */
  storagePid: number | null;
}

/** From the first handler's start until the storage knows that all is done. */
export interface Drained {
  /** From the call to begin until the first handler started. */
  beginMs: number;
  elapsedMs: number;
  /** Seconds of processor time, of this process and of the storage's. */
  processSeconds: number | null;
  storageSeconds: number | null;
  executions: Counted;
}

export interface Counted {
  lost: number;
  doubled: number;
  /** What the storage knows afterwards. */
  unfinished: number;
  remembered: number;
}

export interface Delivering {
  count: number;
  url: string;
  connections: number;
}

export interface Delivered {
  /** Milliseconds since 1970. */
  endedAt: number;
  processSeconds: number | null;
  storageSeconds: number | null;
}

export interface Firing {
  /** These are judged. */
  count: number;
  /** From one to the next; 0: all in one instant. */
  everyMs: number;
  /** These come before and are not judged: whatever runs for days has warm code. */
  warmup: { count: number; everyMs: number };
  /** Between the two. */
  gapMs: number;
  /** For laying all of them out. */
  leadMs: number;
}

/** Milliseconds from when an item was due until its handler started. */
export interface Fired {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  firstMs: number;
  processSeconds: number | null;
  storageSeconds: number | null;
  executions: Counted;
}

/** What must be left when all is laid out: everybody needs a moment to take notice. */
const LEAD_LEFT_MS = 1_000;
/** Delays are counted in whole milliseconds from a moment that is a little ago. */
const EARLY_MS_MAX = 5;
const DONE_MS_MAX = 240_000;
/** For executions that should not come any more. */
const AFTERMATH_MS = 300;

let contestant: Contestant;
let storagePid: number | null = null;

export async function open({ module, place, settings, storagePid: pid }: Opening): Promise<void> {
  const { open } = (await import(new URL(`../${module}`, import.meta.url).href)) as { open: Open<unknown> };
  contestant = await open(place, settings);
  storagePid = pid;
}

export async function lay({ items }: { items: Item[] }): Promise<void> {
  await contestant.lay(items);
}

/** `count` items, numbered from 0, due now. */
export async function layMany({ count }: { count: number }): Promise<void> {
  await contestant.lay(Array.from({ length: count }, (_, id) => ({ id })));
}

export async function layMixed({ count }: { count: number }): Promise<void> {
  await contestant.lay(Array.from({ length: count }, (_, id) => ({ id, urgency: urgencyOf(id) })));
}

/** Does all that was laid out; nothing else is asked of the handler. */
export async function drain({ count }: { count: number }): Promise<Drained> {
  return await drainAll(new Uint8Array(count).fill(1), () => {});
}

/** Some take long, and some fail the first time, which is their last if there is but one attempt. */
export async function drainMixed({ count, attempts }: { count: number; attempts: 1 | 2 }): Promise<Drained> {
  const expected = Uint8Array.from({ length: count }, (_, id) => (fails(id) ? attempts : 1));
  return await drainAll(expected, (id, nth) => {
    if (fails(id) && nth === 1) throw new Error("fails the first time");
    if (isLong(id)) return sleep(LONG_MS);
  });
}

/** `expected`: how often each is to come. */
async function drainAll(
  expected: Uint8Array,
  act: (id: number, nth: number) => void | Promise<void>,
): Promise<Drained> {
  const begunAt = performance.now();
  let startedAt = 0;
  let before = { own: 0, storage: null as number | null };
  const counts = new Uint8Array(expected.length);
  const all = expected.reduce((sum, times) => sum + times, 0);
  let begun = 0;
  const done = Promise.withResolvers<void>();
  const handle: Handle = (id) => {
    if (startedAt === 0) {
      before = spent();
      startedAt = performance.now();
    }
    const nth = ++counts[id]!;
    if (++begun === all) done.resolve();
    return act(id, nth);
  };
  await contestant.work(handle);
  await orLate(done.promise, () => `${begun} of ${all} were done`);
  await finished();
  const elapsedMs = performance.now() - startedAt;
  const after = spent();
  return {
    beginMs: startedAt - begunAt,
    elapsedMs,
    processSeconds: after.own - before.own,
    storageSeconds: after.storage === null || before.storage === null ? null : after.storage - before.storage,
    executions: await counted(counts, expected),
  };
}

/** Does all that was laid out; each handler makes a call. Tells when the storage knew that all was done. */
export async function deliver({ count, url, connections }: Delivering): Promise<Delivered> {
  const deliveries = new Deliveries(url, connections);
  let before = { own: 0, storage: null as number | null };
  let started = 0;
  let ended = 0;
  const done = Promise.withResolvers<void>();
  await contestant.work(async (id) => {
    if (started++ === 0) before = spent();
    await deliveries.deliver(id);
    if (++ended === count) done.resolve();
  });
  await orLate(done.promise, () => `${ended} of ${count} were done`);
  await finished();
  const endedAt = Date.now();
  const after = spent();
  await deliveries.close();
  return {
    endedAt,
    processSeconds: after.own - before.own,
    storageSeconds: after.storage === null || before.storage === null ? null : after.storage - before.storage,
  };
}

/**
 * Items due at given moments from `leadMs` from now on, while the contestant is at work already. How late each is, is told by
 * this process's clock when its handler starts.
 */
export async function fire(firing: Firing): Promise<Fired> {
  const { leadMs } = firing;
  const from = Date.now() + leadMs;
  const due = dueMoments(firing, from);
  const starts = new Float64Array(due.length);
  const counts = new Uint8Array(due.length);
  let ended = 0;
  const done = Promise.withResolvers<void>();
  await contestant.work((id) => {
    if (counts[id]!++ === 0) starts[id] = Date.now();
    if (++ended === due.length) done.resolve();
  });
  await contestant.lay(due.map((at, id) => ({ id, at })));
  const leftMs = from - Date.now();
  if (leftMs < LEAD_LEFT_MS) throw new Error(`laying out ${due.length} took ${leadMs - leftMs} of ${leadMs} ms`);
  await sleep(leftMs);
  const before = spent();
  await orLate(done.promise, () => `${ended} of ${due.length} were done`);
  const after = spent();
  await finished();
  const lateness = Array.from(starts, (start, id) => start - due[id]!).slice(firing.warmup.count);
  const firstMs = percentile(lateness, 0);
  if (firstMs < -EARLY_MS_MAX) throw new Error(`one came ${-firstMs} ms early`);
  return {
    firstMs,
    p50Ms: percentile(lateness, 0.5),
    p99Ms: percentile(lateness, 0.99),
    maxMs: percentile(lateness, 1),
    processSeconds: after.own - before.own,
    storageSeconds: after.storage === null || before.storage === null ? null : after.storage - before.storage,
    executions: await counted(counts),
  };
}

function dueMoments({ count, everyMs, warmup, gapMs }: Firing, from: number): number[] {
  const main = from + warmup.count * warmup.everyMs + gapMs;
  return [
    ...Array.from({ length: warmup.count }, (_, index) => Math.floor(from + index * warmup.everyMs)),
    ...Array.from({ length: count }, (_, index) => Math.floor(main + index * everyMs)),
  ];
}

export async function close(): Promise<void> {
  await contestant.close();
}

function spent(): { own: number; storage: number | null } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, storage: processorSeconds(storagePid) };
}

/** Asked only after the last handler has ended, so that asking costs nobody anything. */
async function finished(): Promise<void> {
  const until = performance.now() + DONE_MS_MAX;
  while ((await contestant.unfinished()) > 0) {
    if (performance.now() > until) throw new Error(`${await contestant.unfinished()} never ended in the storage`);
    await sleep(5);
  }
}

async function counted(
  counts: Uint8Array,
  expected: Uint8Array = new Uint8Array(counts.length).fill(1),
): Promise<Counted> {
  await sleep(AFTERMATH_MS);
  let lost = 0;
  let doubled = 0;
  for (const [id, count] of counts.entries()) {
    if (count < expected[id]!) lost++;
    if (count > expected[id]!) doubled++;
  }
  return { lost, doubled, unfinished: await contestant.unfinished(), remembered: await contestant.remembered() };
}

async function orLate<T>(wanted: Promise<T>, state: () => string): Promise<T> {
  const patience = new AbortController();
  const late = sleep(DONE_MS_MAX, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`too late: ${state()}`);
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    patience.abort();
    late.catch(() => {});
  }
}
