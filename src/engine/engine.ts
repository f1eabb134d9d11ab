// The parts of a node that make fires travel, put together and started in an order in which each finds what it needs.

import type { Store } from "../store/port.ts";
import type { TargetRunner } from "../targets/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { Attempts } from "./attempts.ts";
import { type CallbackReport, completeCallback } from "./callback.ts";
import type { ClaimSource } from "./claim-source.ts";
import { CompiledJobs } from "./compiled-jobs.ts";
import { DatabaseClock } from "./database-clock.ts";
import { Dispatcher } from "./dispatcher.ts";
import { HandlerWatch } from "./handler-watch.ts";
import { Lease, type Members, type NodeIdentity } from "./lease.ts";
import { LogWriter } from "./log-writer.ts";
import { Planner } from "./planner.ts";
import { Recovery } from "./recovery.ts";
import { Retention } from "./retention.ts";
import { Settler } from "./settler.ts";
import type { LaneSlots } from "./slots.ts";
import { WorkerDesk } from "./worker-desk.ts";

export interface EngineDeps {
  store: Store;
  targets: TargetRunner;
  /** Where this node's work comes from, and what it takes up here. */
  source: ClaimSource;
  slots: LaneSlots;
  /** Where its lease is written down. */
  members: Members;
  log: Log;
  metrics: Metrics;
  monotonic: () => number;
  random: () => number;
  isDataError: (error: unknown) => boolean;
}

export interface EngineOptions {
  node: NodeIdentity;
  /** How targets reach this node, for callbacks. */
  publicUrl: () => string;
  leaseMs: number;
  horizonMs: number;
  retentionMs: number;
  tzdata: string;
  /** How long what runs may go on after a stop. */
  drainMs: number;
}

export class Engine {
  readonly #deps: EngineDeps;
  readonly #options: EngineOptions;
  readonly #jobs: CompiledJobs;
  readonly #settler: Settler;
  readonly #lease: Lease;
  readonly #planner: Planner | null;
  readonly #dispatcher: Dispatcher | null;
  readonly #attempts: Attempts;
  readonly #recovery: Recovery | null;
  readonly #retention: Retention;
  readonly #watch: HandlerWatch | null;
  /** Where workers come to. */
  readonly workers: WorkerDesk;

  constructor(deps: EngineDeps, options: EngineOptions) {
    const { store, targets, source, slots, members, log, metrics } = deps;
    const { node, horizonMs, retentionMs } = options;
    const clock = new DatabaseClock(deps.monotonic, (stepMs) => log.error("clock.stepped", { stepMs }));
    this.#deps = deps;
    this.#options = options;
    this.#jobs = new CompiledJobs(store.planning);
    this.#settler = new Settler(deps);
    this.#lease = new Lease({ members, log, monotonic: deps.monotonic }, node, options.leaseMs);
    const parts = { store, jobs: this.#jobs, settler: this.#settler, lease: this.#lease, clock, log, metrics };
    const prepare = (jobs: { jobId: string; version: number }[]) => this.#jobs.prepare(jobs);
    this.#planner = node.roles.includes("planner")
      ? new Planner(node.roles.includes("dispatcher") ? { ...parts, prepare } : parts, {
          horizonMs,
          retentionMs,
          tzdata: options.tzdata,
        })
      : null;
    const logs = new LogWriter({ store, clock, log });
    this.#attempts = new Attempts(
      { ...parts, targets, logs, slots },
      { node: node.name, publicUrl: options.publicUrl },
    );
    this.#dispatcher = node.roles.includes("dispatcher")
      ? new Dispatcher({ ...parts, attempts: this.#attempts, source }, node.id)
      : null;
    this.#recovery =
      this.#dispatcher || this.#planner ? new Recovery({ ...parts, monotonic: deps.monotonic }, { horizonMs }) : null;
    this.#retention = new Retention({ store, log }, { retentionMs });
    this.#watch = this.#recovery && new HandlerWatch({ store, log });
    this.workers = new WorkerDesk({ ...parts, monotonic: deps.monotonic }, { node: node.name });
  }

  /** Makes the node known to the others, before anything else. */
  async join(): Promise<void> {
    await this.#retention.prepare();
    await this.#lease.renewOnce();
  }

  async start(): Promise<void> {
    const { log, store } = this.#deps;
    const { node } = this.#options;
    await this.join();
    this.#retention.start();
    this.#lease.start();
    this.#planner?.start();
    this.#dispatcher?.start();
    this.#recovery?.start();
    this.#watch?.start();
    this.workers.start();
    log.info("node.joined", { nodeId: node.id, name: node.name, roles: node.roles, version: node.version });
    store.events.publish([
      { type: "node.joined", timestamp: (await store.now()).toISOString(), projectId: null, data: { node: node.name } },
    ]);
  }

  /**
   * Every pass once, in the order of a fire's way, and then what it started to its end. For whoever has joined and steps
   * the node by hand instead of starting it. Answers how much there was to do; zero: nothing is due.
   */
  async stepOnce(): Promise<number> {
    await this.#lease.renewOnce();
    const { planned } = (await this.#planner?.planOnce()) ?? { planned: 0 };
    const healed = Object.values({ ...(await this.#recovery?.recoverOnce()) });
    const { claimed, blocked } = (await this.#dispatcher?.dispatchOnce()) ?? { claimed: 0, blocked: 0 };
    await this.#attempts.ended();
    return healed.reduce((sum, count) => sum + count, planned + claimed + blocked);
  }

  /** The beginning of `stop`, for whoever has other things to end before what runs may be waited for. */
  async claimNoMore(): Promise<void> {
    await Promise.all([this.#planner?.stop(), this.#dispatcher?.stop()]);
  }

  /** Plans and claims nothing more, lets what runs end, writes every result, and leaves. */
  async stop(): Promise<void> {
    const { log, store } = this.#deps;
    const { node } = this.#options;
    await Promise.all([
      this.#planner?.stop(),
      this.#dispatcher?.stop(),
      this.#recovery?.stop(),
      this.#watch?.stop(),
      this.workers.stop(),
      this.#retention.stop(),
    ]);
    await this.#attempts.drain(this.#options.drainMs);
    await this.#lease.stop();
    log.info("node.left", { nodeId: node.id, name: node.name });
    store.events.publish([
      { type: "node.left", timestamp: new Date().toISOString(), projectId: null, data: { node: node.name } },
    ]);
    // Others need not wait for their poll to see what was given back.
    store.events.wake();
  }

  completeCallback = (executionId: string, claim: string, report: CallbackReport) =>
    completeCallback(
      {
        store: this.#deps.store,
        jobs: this.#jobs,
        settler: this.#settler,
        targets: this.#deps.targets,
        node: this.#options.node.name,
      },
      executionId,
      claim,
      report,
    );
}
