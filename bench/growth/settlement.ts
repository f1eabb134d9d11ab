import type { Claimed, FinalSettlement } from "../../src/store/port/queue.ts";

/** What a node writes of a call that was answered with 200, without what was sent and received. */
export function succeeded(claimed: Claimed): FinalSettlement {
  const moment = claimed.startedAt.toISOString();
  return {
    id: claimed.id,
    claim: claimed.claim,
    jobId: claimed.jobId,
    state: "succeeded",
    reason: null,
    attempt: {
      number: claimed.attempt,
      outcome: "succeeded",
      jobVersion: claimed.version,
      startedAt: moment,
      finishedAt: moment,
      error: null,
      node: "bench",
      worker: null,
      request: null,
      response: null,
      timings: null,
    },
    result: null,
    error: null,
    fingerprint: null,
  };
}
