// What was due and could not be started as it is: later than its grace, or another run of its job is going on.

import type { Blocked, Skipped } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { DatabaseClock } from "./database-clock.ts";

interface BlockedDeps {
  store: Store;
  clock: DatabaseClock;
  log: Log;
  metrics: Metrics;
}

export async function resolveBlocked(deps: BlockedDeps, blocked: Blocked[]): Promise<void> {
  const { store } = deps;
  const causedBy = (cause: Blocked["cause"]) => blocked.filter((one) => one.cause === cause);
  const late = causedBy("late");
  if (late.length > 0) {
    const { skipped } = await store.queue.resolveLate(late.map(({ id }) => id));
    announceSkipped(deps, skipped, "misfire");
  }
  const overlapping = causedBy("overlap");
  if (overlapping.length === 0) return;
  const { skipped, cancelled } = await store.queue.resolveOverlaps(overlapping.map(({ id }) => id));
  const gone = new Set(skipped);
  announceSkipped(
    deps,
    overlapping.filter(({ id }) => gone.has(id)),
    "overlap",
  );
  // Their holders, on whichever node, are to give up the calls.
  if (cancelled.length > 0) store.events.wake();
}

function announceSkipped({ store, clock, log, metrics }: BlockedDeps, skipped: Skipped[], code: string): void {
  metrics.executionsFinished.inc({ state: "skipped" }, skipped.length);
  for (const { id, jobId } of skipped) log.info("execution.skipped", { executionId: id, jobId, reason: code });
  const timestamp = new Date(clock.now() ?? 0).toISOString();
  store.events.publish(
    skipped.map(({ id, jobId, projectId }) => ({
      type: "execution.skipped",
      timestamp,
      projectId,
      data: { jobId, executionId: id, state: "skipped", reason: { code, message: code } },
    })),
  );
}
