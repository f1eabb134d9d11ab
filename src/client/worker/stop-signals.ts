const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The first signal stops the worker and then ends the process with 0; a second one ends it at once. Gives back the
 * function that takes the listeners away again.
 */
export function stopOnSignals(stop: () => Promise<void>): () => void {
  if (typeof process === "undefined" || typeof process.on !== "function") return () => {};
  let asked = false;
  const onSignal = (signal: keyof typeof SIGNALS) => {
    if (asked) process.exit(SIGNALS[signal]);
    asked = true;
    void stop().finally(() => process.exit(0));
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  return () => {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
  };
}
