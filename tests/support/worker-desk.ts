// A node's desk for workers over a real store, without the rest of the engine.

import { CompiledJobs } from "../../src/engine/compiled-jobs.ts";
import { DatabaseClock } from "../../src/engine/database-clock.ts";
import { Settler } from "../../src/engine/settler.ts";
import { WorkerDesk } from "../../src/engine/worker-desk.ts";
import type { Store } from "../../src/store/port.ts";
import { isDataError } from "../../src/store/postgres/database.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";

export interface TestDesk {
  desk: WorkerDesk;
  metrics: Metrics;
  stop(): Promise<void>;
}

export function startTestDesk(store: Store, options: { monotonic?: () => number } = {}): TestDesk {
  const log = createLog({ level: "silent" });
  const metrics = new Metrics();
  const settler = new Settler({ store, log, metrics, random: () => 0, isDataError });
  const clock = new DatabaseClock(() => performance.now());
  const monotonic = options.monotonic ?? (() => performance.now());
  const jobs = new CompiledJobs(store.planning);
  const desk = new WorkerDesk({ store, jobs, settler, clock, log, metrics, monotonic }, { node: "test" });
  desk.start();
  return {
    desk,
    metrics,
    stop: async () => {
      await desk.stop();
      await settler.flushed();
    },
  };
}
