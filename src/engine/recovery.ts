// What heals by itself, once a second on every node: executions whose holder died, callbacks that never came, fires that no
// worker took, what runs for long put aside, work whose time has come near, runs that nobody let go, pauses that are over. Each is bounded per pass, and each write names the
// claim it expects, so any number of nodes may do the same at once.

import type { Attempt } from "../contract/execution.ts";
import type { AttemptResult } from "../core/attempt.ts";
import { lost } from "../core/handler-result.ts";
import type { LostClaim } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { resolveBlocked } from "./blocked.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { Hearing } from "./hearing.ts";
import type { Lease } from "./lease.ts";
import { Loop } from "./loop.ts";
import type { Settler } from "./settler.ts";

const EVERY_MS = 1_000;
const LOST_PER_PASS = 500;
const SHELVED_PER_PASS = 200;
const PROMOTED_PER_PASS = 2_000;
const RELEASED_PER_PASS = 500;
const RESUMED_PER_PASS = 100;
const UNTAKEN_PER_PASS = 500;

export interface RecoveryDeps {
  store: Store;
  jobs: CompiledJobs;
  settler: Settler;
  clock: DatabaseClock;
  lease: Lease;
  log: Log;
  metrics: Metrics;
  monotonic: () => number;
}

export type Recovered = {
  recovered: number;
  /** Claims. */
  shelved: number;
  untaken: number;
  promoted: number;
  released: number;
  resumed: number;
};

export class Recovery {
  readonly #deps: RecoveryDeps;
  readonly #horizonMs: number;
  readonly #loop: Loop;
  readonly #hearing: Hearing;

  constructor(deps: RecoveryDeps, options: { horizonMs: number }) {
    this.#deps = deps;
    this.#horizonMs = options.horizonMs;
    this.#hearing = new Hearing(deps.monotonic);
    this.#loop = new Loop("recovery", deps.log, async () => {
      const { recovered, shelved, untaken, promoted } = await this.recoverOnce();
      const more =
        recovered === LOST_PER_PASS ||
        shelved === SHELVED_PER_PASS ||
        untaken === UNTAKEN_PER_PASS ||
        promoted === PROMOTED_PER_PASS;
      return { againInMs: more ? 0 : EVERY_MS };
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async recoverOnce(): Promise<Recovered> {
    return await this.#hearing.during((heardMs) => this.#recoverOnce(heardMs));
  }

  async #recoverOnce(heardMs: () => number): Promise<Recovered> {
    const { store, lease, log } = this.#deps;
    const shelved = await store.queue.shelveClaims(SHELVED_PER_PASS);
    const promoted = await store.queue.promoteDue({ horizonMs: this.#horizonMs, limit: PROMOTED_PER_PASS });
    const released = await store.queue.releaseStuck(RELEASED_PER_PASS);
    const resumed = (await store.retention.resumeElapsedPauses(RESUMED_PER_PASS)).length;
    if (promoted + released + resumed > 0) store.events.wake();
    const untaken = await store.queue.readUntaken(UNTAKEN_PER_PASS);
    if (untaken.length > 0) await resolveBlocked(this.#deps, untaken);
    // Right after an outage every lease is over; see Lease.settled.
    const recovered = lease.settled ? await this.#recoverLost(heardMs()) : 0;
    for (const id of await store.nodes.forgetDead()) log.info("node.forgotten", { node: id });
    await this.#forgetWorkers();
    return { recovered, shelved, untaken: untaken.length, promoted, released, resumed };
  }

  async #forgetWorkers(): Promise<void> {
    const { store, log } = this.#deps;
    const dead = await store.workers.forgetDead();
    if (dead.length === 0) return;
    for (const { projectId, id, name } of dead) log.warn("worker.lost", { projectId, worker: name, workerId: id });
    const timestamp = (await store.now()).toISOString();
    store.events.publish(
      dead.map(({ projectId, name }) => ({ type: "worker.left", timestamp, projectId, data: { worker: name } })),
    );
  }

  async #recoverLost(heardMs: number): Promise<number> {
    const { store, jobs, settler, log } = this.#deps;
    const lost = await store.queue.readLost({ limit: LOST_PER_PASS, heardMs });
    if (lost.length === 0) return 0;
    const compiled = await jobs.load(lost.map(({ claimed }) => claimed));
    for (const one of lost) {
      const job = compiled(one.claimed);
      if (job === undefined) continue;
      log.warn("execution.lost", {
        executionId: one.claimed.id,
        jobId: one.claimed.jobId,
        holder: one.holder,
        cause: one.cause,
      });
      const result = lostResult(one);
      settler.add({ claimed: one.claimed, job, result, attempt: this.#lostAttempt(one, result) });
    }
    await settler.flushed();
    store.events.wake();
    return lost.length;
  }

  #lostAttempt({ claimed, holder, holderKind, attempt }: LostClaim, result: AttemptResult): Attempt {
    const now = new Date(this.#deps.clock.now() ?? claimed.startedAt.getTime());
    return {
      number: claimed.attempt,
      outcome: result.outcome,
      jobVersion: claimed.version,
      startedAt: claimed.startedAt.toISOString(),
      finishedAt: now.toISOString(),
      error: result.error,
      node: attempt?.node ?? (holderKind === "node" ? holder : null),
      worker: holderKind === "worker" ? holder : null,
      request: attempt?.request ?? null,
      response: attempt?.response ?? null,
      timings: attempt?.timings ?? null,
    };
  }
}

/** The holder's death says nothing about the call it may have made: in doubt, like a callback that never came. */
function lostResult({ cause, holderKind }: LostClaim): AttemptResult {
  if (cause === "holder_lost")
    return lost(holderKind === "worker" ? "the worker that ran it was lost" : "the node that made the call was lost");
  return {
    outcome: "timed_out",
    error: {
      code: "callback_timeout",
      message: "the target accepted the call but did not report its result in time",
    },
    cause: { kind: "timeout" },
    doubtful: true,
    retryAfterMs: null,
    request: null,
    response: null,
    timings: null,
    result: null,
  };
}
