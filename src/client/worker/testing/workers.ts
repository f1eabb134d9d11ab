import { onTestFinished } from "vitest";
import type { WorkerOptions } from "../options.ts";
import type { ErrorContext } from "../problem.ts";
import { Worker } from "../worker.ts";
import { type Desk, KEY } from "./desk.ts";

export interface Reported {
  error: unknown;
  context: ErrorContext;
}

/** A worker at the desk, stopped when the test is over; what it reports is kept. */
export function workerAt(desk: Desk, options: WorkerOptions = {}): { worker: Worker; reported: Reported[] } {
  const reported: Reported[] = [];
  const onError = (error: unknown, context: ErrorContext) => void reported.push({ error, context });
  const worker = new Worker({ url: desk.url, key: KEY, drainMs: 0, onError, ...options });
  onTestFinished(() => worker.stop());
  return { worker, reported };
}
