// Why a run was told to end: what `run.signal.reason` is, and what a handler throws that passes the signal on.

export abstract class RunAborted extends Error {
  abstract readonly code: "cancelled" | "timeout" | "lost" | "shutdown";
}

/** Somebody cancelled the execution. */
export class RunCancelled extends RunAborted {
  override readonly name = "RunCancelled";
  readonly code = "cancelled";

  constructor() {
    super("the execution was cancelled");
  }
}

/** The attempt's time is over. Named as the reason of `AbortSignal.timeout` is. */
export class RunTimedOut extends RunAborted {
  override readonly name = "TimeoutError";
  readonly code = "timeout";

  constructor(timeoutMs: number) {
    super(`the handler did not finish within ${timeoutMs} ms, the timeout of its job`);
  }
}

/**
 * The execution belongs to somebody else by now, or may: the server said so, or was not heard for as long as the lease. A
 * handler that finishes nevertheless does no harm: the server refuses its answer if it is not the one that counts.
 */
export class RunLost extends RunAborted {
  override readonly name = "RunLost";
  readonly code = "lost";
}

/** The worker stops, and the time for finishing is over. */
export class WorkerStopped extends RunAborted {
  override readonly name = "WorkerStopped";
  readonly code = "shutdown";

  constructor() {
    super("the worker was stopped before the handler had finished");
  }
}
