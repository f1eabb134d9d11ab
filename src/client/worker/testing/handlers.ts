import type { Run } from "../run.ts";

/** How long a test waits for what must come. */
export const WAIT = { timeout: 20_000, interval: 5 };

/** A handler that waits until it is told how to end, and what it saw. */
export function waiting() {
  const runs: Run[] = [];
  const finish: (() => void)[] = [];
  const handler = async (run: Run) => {
    runs.push(run);
    await new Promise<void>((resolve) => finish.push(resolve));
  };
  return { runs, finish, handler };
}

/** A handler that ends as soon as its signal aborts, and what it saw. */
export function obedient() {
  const runs: Run[] = [];
  const handler = async (run: Run) => {
    runs.push(run);
    await new Promise((_, reject) => run.signal.addEventListener("abort", () => reject(run.signal.reason)));
  };
  return { runs, handler };
}
