import type { Claimed, GivenBack } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** Claims of what was not begun, for others to take. Those of `deleted` are still held, and are to be ended. */
export async function giveBack(
  { store, log, metrics }: { store: Store; log: Log; metrics: Metrics },
  claimed: Claimed[],
): Promise<Pick<GivenBack, "deleted">> {
  const { returned, deleted, waiting } = await store.queue.giveBack(claimed);
  log.debug("claims.given_back", { executions: returned.length });
  metrics.claimsGivenBack.inc(returned.length);
  // The claims are given back, whatever becomes of this: what is not let go now, the recovery lets go a second later.
  if (waiting.length > 0)
    await store.queue.releaseWaiting(waiting).catch((error) => log.warn("waiting.not_released", { error }));
  store.events.wake();
  return { deleted };
}
