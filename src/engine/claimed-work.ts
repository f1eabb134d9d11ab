// What follows a claim, whoever runs it: the rest of what the attempt needs is read, and its start is told.

import { randomBytes } from "node:crypto";
import type { PunctualEvent } from "../contract/events.ts";
import type { Json } from "../contract/json.ts";
import type { CompiledJob } from "../core/compiled-job.ts";
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
  const compiled = await jobs.load(claimed.flatMap((one) => [one, { jobId: one.jobId, version: one.payloadVersion }]));
  const own = claimed.filter(({ hasPayload }) => hasPayload).map(({ id }) => id);
  const payloads = await store.queue.readPayloads(own);
  return claimed.flatMap((one) => {
    const job = compiled(one);
    const payload = one.hasPayload
      ? payloads.get(one.id)
      : compiled({ jobId: one.jobId, version: one.payloadVersion })?.spec.payload;
    return job === undefined || payload === undefined ? [] : [{ claimed: one, job, payload }];
  });
}

export function announceStarted(
  { store, metrics, log }: { store: Store; metrics: Metrics; log: Log },
  claimed: Claimed[],
): void {
  const events: PunctualEvent[] = claimed.map((one) => ({
    type: "execution.started",
    timestamp: one.startedAt.toISOString(),
    projectId: one.projectId,
    data: { jobId: one.jobId, executionId: one.id, state: "running", attempt: one.attempt },
  }));
  store.events.publish(events);
  for (const one of claimed) {
    if (one.attempt === 1)
      metrics.fireLateness.observe(Math.max(0, one.startedAt.getTime() - one.runAt.getTime()) / 1000);
    log.debug("execution.started", {
      executionId: one.id,
      jobId: one.jobId,
      attempt: one.attempt,
      trigger: one.trigger,
    });
  }
}

/** All attempts of an execution are one trace: its id is the trace's. */
export function traceparentOf({ id }: Claimed): string {
  return `00-${id.replaceAll("-", "")}-${randomBytes(8).toString("hex")}-01`;
}
