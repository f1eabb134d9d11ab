// A worker as its user would run it: a process of its own, started by a test that kills, freezes and stops it. It appends one
// line to its file whenever a handler begins, before it does anything else, so that no handling goes unseen.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Run, Worker } from "../../src/client/index.ts";

export interface WorkerProgramOptions {
  url: string;
  key: string;
  id: string;
  leaseMs: number;
  concurrency: number;
  /** Where the lines go. */
  file: string;
}

/** One line of the file. */
export interface Handling {
  worker: string;
  id: string;
  attempt: number;
  idempotencyKey: string;
  handler: string;
}

const { file, concurrency, ...options } = JSON.parse(process.argv[2]!) as WorkerProgramOptions;
const lines = openSync(file, "a");

function note(run: Run<unknown>): void {
  const { id, attempt, idempotencyKey, handler } = run;
  const line: Handling = { worker: options.id, id, attempt, idempotencyKey, handler };
  writeSync(lines, `${JSON.stringify(line)}\n`);
}

const worker = new Worker({ ...options, signals: true });

worker.handle("work", { concurrency }, async (run) => {
  note(run);
  const { ms = 0 } = (run.payload ?? {}) as { ms?: number };
  await sleep(ms);
  return { worker: options.id };
});

worker.handle("poison", { concurrency: 2 }, (run) => {
  note(run);
  process.kill(process.pid, "SIGKILL");
  // Nothing may be said in the moment that is left.
  for (;;) writeSync(lines, "");
});

// Without its test it is of no use to anybody.
process.stdin.resume().on("end", () => process.kill(process.pid, "SIGKILL"));
process.stdin.unref?.();

await worker.start();
process.stdout.write("started\n");
