// What follows a claim, whoever runs it: the rest of what the attempt needs is read, and its start is told.

import { randomBytes } from "node:crypto";
import type { Json } from "../contract/json.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
import { isoOf } from "../core/iso-time.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";

export interface ClaimedWork {
  claimed: Claimed;
  job: CompiledJob;
  payload: Json;
}

/** Left out is what is gone: cancelled, or its job purged, between the claim and now. */
export async function loadWork(
  { store, jobs }: { store: Store; jobs: CompiledJobs },
  claimed: Claimed[],
): Promise<ClaimedWork[]> {
  const compiled = await jobs.loadEach(claimed);
  const others = claimed.filter(({ hasPayload, version, payloadVersion }) => !hasPayload && payloadVersion !== version);
  const earlier = await jobs.load(others.map(({ jobId, payloadVersion }) => ({ jobId, version: payloadVersion })));
  const toRead = claimed.filter(({ hasPayload, payload }) => hasPayload && payload === null).map(({ id }) => id);
  const payloads = await store.queue.readPayloads(toRead);
  const work: ClaimedWork[] = [];
  claimed.forEach((one, nth) => {
    const job = compiled[nth];
    const { jobId, version, payloadVersion } = one;
    const from = payloadVersion === version ? job : earlier({ jobId, version: payloadVersion });
    const payload = one.hasPayload ? (one.payload ?? payloads.get(one.id)) : from?.spec.payload;
    if (job !== undefined && payload !== undefined) work.push({ claimed: one, job, payload });
  });
  return work;
}

export function announceStarted(
  { store, metrics, log }: { store: Store; metrics: Metrics; log: Log },
  claimed: Claimed[],
): void {
  store.events.publish(() =>
    claimed.map((one) => ({
      type: "execution.started",
      timestamp: isoOf(one.startedAt.getTime()),
      projectId: one.projectId,
      data: { jobId: one.jobId, executionId: one.id, state: "running", attempt: one.attempt },
    })),
  );
  for (const { id, jobId, attempt, trigger, startedAt, runAt } of claimed) {
    if (attempt === 1) metrics.fireLateness.observe(Math.max(0, startedAt.getTime() - runAt.getTime()) / 1000);
    log.debug("execution.started", { executionId: id, jobId, attempt, trigger });
  }
}

/** What was claimed ahead was to start at its very time: a process or a database that was busy makes it late all the same. */
export function noteDelay(claimed: Claimed, now: number): void {
  if (isAhead(claimed)) noteStart(claimed, now);
}

export function isAhead({ startedAt, runAt }: Claimed): boolean {
  return startedAt.getTime() === runAt.getTime();
}

/** That it starts now, which is later than was written with its claim. */
export function noteStart(claimed: Claimed, now: number): void {
  const written = claimed.startedAt.getTime();
  if (now < written + 1) return;
  claimed.startedLateMs = Math.floor(now - written);
  claimed.startedAt = new Date(written + claimed.startedLateMs);
  if (claimed.attempt === 1) claimed.firstStartedAt = claimed.startedAt;
}

const SPAN_BYTES = 8;
let spans = Buffer.alloc(0);
let spansUsed = 0;

/** All attempts of an execution are one trace: its id is the trace's. Random bytes are fetched for many at a time. */
export function traceparentOf({ id }: Claimed): string {
  if (spansUsed === spans.length) {
    spans = randomBytes(SPAN_BYTES * 512);
    spansUsed = 0;
  }
  const span = spans.toString("hex", spansUsed, spansUsed + SPAN_BYTES);
  spansUsed += SPAN_BYTES;
  return `00-${id.replaceAll("-", "")}-${span}-01`;
}
