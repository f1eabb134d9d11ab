import { PunctualError } from "../contract/errors.ts";
import type { OverlapPolicy } from "../contract/job.ts";
import { type Triggered, triggerInput } from "../contract/trigger.ts";
import { parseOrThrow } from "../contract/validate.ts";
import { checkTriggers, triggerRequest } from "../core/written-trigger.ts";
import type { SqlClient, TriggerRequest, TriggerWithinResult } from "../store/port/jobs.ts";
import type { Store } from "../store/port.ts";
import type { DeclaredJobs } from "./declared-jobs.ts";

export interface TriggerOptions {
  /** The same key for the same job is the same execution. */
  key?: string;
  /** Default: now. */
  runAt?: Date | string;
  /** From now, such as `"5m"`; instead of `runAt`. */
  delay?: string;
  /** Default: the job's. */
  priority?: number;
  /** Default: `allow`. */
  overlap?: OverlapPolicy;
  /**
   * A connection of the program's own that is in a transaction of the same database: the trigger becomes part of it. It
   * takes effect when that commits, and never was if it is rolled back.
   */
  client?: SqlClient;
}

export interface Triggering {
  store: Store;
  jobs: DeclaredJobs;
  clock: () => Date;
  projectId: string;
  actor: string;
}

export async function trigger(
  { store, jobs, clock, projectId, actor }: Triggering,
  name: string,
  payload: unknown,
  { client, ...options }: TriggerOptions,
): Promise<Triggered> {
  const written = parseOrThrow(triggerInput, {
    ...options,
    ...(payload === undefined ? {} : { payload }),
    ...(options.runAt instanceof Date ? { runAt: written8601(options.runAt) } : {}),
  });
  await checkTriggers(store, [written], () => "");
  if (written.payload !== undefined) await jobs.checkPayload(name, written.payload);
  const request = triggerRequest(name, written);
  const result =
    client === undefined
      ? (await store.triggers.trigger(projectId, [request], { actor }))[0]!
      : await store.triggers.triggerWithin(client, projectId, await timed(store, request), { actor });
  if (result.kind !== "triggered") throw refusal(name, result);
  const { executionId, jobId, deduplicated } = result;
  // Whether a transaction will commit nobody knows yet; what it carries wakes the others by itself.
  if (client === undefined) {
    if (!deduplicated)
      store.events.publish([
        {
          type: "execution.scheduled",
          timestamp: clock().toISOString(),
          projectId,
          data: { jobId, executionId, state: "scheduled" },
        },
      ]);
    store.events.wake();
  }
  return { executionId, deduplicated };
}

/** The moment is taken from the clock that the engine goes by, and not from that of the caller's session. */
async function timed(
  store: Store,
  { delayMs = 0, ...request }: TriggerRequest,
): Promise<TriggerRequest & { runAt: Date }> {
  return { ...request, runAt: request.runAt ?? new Date((await store.now()).getTime() + delayMs) };
}

function refusal(name: string, result: Exclude<TriggerWithinResult, { kind: "triggered" }>): PunctualError {
  if (result.kind === "not_found") return new PunctualError("not_found", `there is no job "${name}"`);
  const message =
    "is in no transaction, so there is nothing to join: begin one on it first (a pool has none; take a client from it), or leave it out";
  return PunctualError.validation([{ path: "client", code: "no_transaction", message }]);
}

/** What is no moment becomes a text that is none either, and is refused as such. */
function written8601(moment: Date): string {
  return Number.isNaN(moment.getTime()) ? "Invalid Date" : moment.toISOString();
}
