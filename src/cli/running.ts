import type { Log } from "../main.ts";
import { awaitStopSignal } from "./stop-signal.ts";

/** A node lets its executions finish for a few seconds; one that takes this long does not end by itself any more. */
const STOP_MS_MAX = 30_000;
const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGTERM: 15 };

export interface Running {
  stop(): Promise<void>;
}

/** Starts something and keeps it running until a signal; a signal during the start is obeyed right after it. */
export async function runUntilSignal(
  start: () => Promise<Running>,
  onStopping: (signal: NodeJS.Signals) => void,
): Promise<"stopped" | "stuck"> {
  const signal = awaitStopSignal((second) => process.exit(128 + (SIGNAL_NUMBERS[second] ?? 0)));
  try {
    const running = await start();
    onStopping(await signal.received);
    return await within(STOP_MS_MAX, running.stop());
  } finally {
    signal.ignore();
  }
}

/** What nobody caught is a bug. It goes where the log goes before the process ends as Node would end it. */
export function logCrashes(log: Log): void {
  process.once("uncaughtExceptionMonitor", (error, origin) => log.error("process.crashed", { origin, error }));
}

async function within(ms: number, work: Promise<void>): Promise<"stopped" | "stuck"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"stuck">((resolve) => {
    timer = setTimeout(() => resolve("stuck"), ms);
  });
  try {
    return await Promise.race([work.then(() => "stopped" as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
