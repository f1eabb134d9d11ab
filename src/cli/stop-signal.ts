// Stopping: the first SIGINT or SIGTERM asks for it, a second one does not wait for the answer. Under `npm start` one
// Ctrl-C arrives twice, from the terminal and from npm; what follows within the blink of an eye is the same wish.

import type { EventEmitter } from "node:events";

const SAME_WISH_MS = 500;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface StopSignal {
  /** Resolves at the first signal. */
  received: Promise<NodeJS.Signals>;
  ignore(): void;
}

export function awaitStopSignal(
  onSecond: (signal: NodeJS.Signals) => void,
  { source = process as EventEmitter, now = () => performance.now() } = {},
): StopSignal {
  const { promise, resolve } = withResolver<NodeJS.Signals>();
  let firstAt: number | null = null;
  const listener = (signal: NodeJS.Signals) => {
    if (firstAt === null) {
      firstAt = now();
      resolve(signal);
    } else if (now() - firstAt > SAME_WISH_MS) onSecond(signal);
  };
  for (const signal of SIGNALS) source.on(signal, listener);
  return {
    received: promise,
    ignore: () => {
      for (const signal of SIGNALS) source.off(signal, listener);
    },
  };
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
