const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

type Stop = () => Promise<void>;

/** Of all workers in this process: it ends when the last of them has stopped. */
const stops = new Set<Stop>();
let asked = false;

/**
 * The first signal stops the worker, and all others that asked for it, and then ends the process with 0; a second one ends
 * it at once. Gives back the function that forgets the worker, and the listeners with the last one.
 */
export function stopOnSignals(stop: Stop): () => void {
  if (typeof process === "undefined" || typeof process.on !== "function") return () => {};
  if (stops.size === 0) for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  stops.add(stop);
  return () => {
    if (!stops.delete(stop) || stops.size > 0) return;
    for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
  };
}

function onSignal(signal: keyof typeof SIGNALS): void {
  if (asked) process.exit(SIGNALS[signal]);
  asked = true;
  void Promise.allSettled([...stops].map((stop) => stop())).then(() => process.exit(0));
}
