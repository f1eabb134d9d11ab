import type { WorkerStore } from "../port/workers.ts";
import type { Queryable } from "./database.ts";

export function workerStore(_db: Queryable): WorkerStore {
  return {} as WorkerStore;
}
