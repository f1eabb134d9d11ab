// The parts of a node that make fires travel, put together and started in an order in which each finds what it needs.

import { catchUpLane, SHELL_LANE } from "../core/lane.ts";
import type { Store } from "../store/port.ts";
import type { TargetRunner } from "../targets/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { Attempts } from "./attempts.ts";
import { type CallbackReport, completeCallback } from "./callback.ts";
import { HostClaims } from "./claim-source.ts";
import { CompiledJobs } from "./compiled-jobs.ts";
import { DatabaseClock } from "./database-clock.ts";
import { Dispatcher } from "./dispatcher.ts";
import { Lease, type NodeIdentity } from "./lease.ts";
import { Planner } from "./planner.ts";
import { Recovery } from "./recovery.ts";
import { Retention } from "./retention.ts";
import { Settler } from "./settler.ts";
import { Slots } from "./slots.ts";

export interface EngineDeps {
  store: Store;
  targets: TargetRunner;
  log: Log;
  metrics: Metrics;
  monotonic: () => number;
  random: () => number;
  isDataError: (error: unknown) => boolean;
}

export interface EngineOptions {
  node: NodeIdentity;
  /** Whether this node runs commands. */
  shell: boolean;
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

  constructor(deps: EngineDeps, options: EngineOptions) {
    const { store, targets, log, metrics } = deps;
    const { node, horizonMs, retentionMs } = options;
    const clock = new DatabaseClock(deps.monotonic, (stepMs) => log.error("clock.stepped", { stepMs }));
    const slots = new Slots(node.concurrency);
    this.#deps = deps;
    this.#options = options;
    this.#jobs = new CompiledJobs(store.planning);
    this.#settler = new Settler(deps);
    this.#lease = new Lease({ nodes: store.nodes, log, monotonic: deps.monotonic }, node, options.leaseMs);
    const parts = { store, jobs: this.#jobs, settler: this.#settler, lease: this.#lease, clock, log, metrics };
    this.#planner = node.roles.includes("planner")
      ? new Planner(parts, { horizonMs, retentionMs, tzdata: options.tzdata })
      : null;
    const lanesLeft = options.shell ? [] : [SHELL_LANE, catchUpLane(SHELL_LANE)];
    const source = new HostClaims(store.queue, slots, { nodeId: node.id, lanesLeft });
    this.#attempts = new Attempts({ ...parts, targets, slots }, { node: node.name, publicUrl: options.publicUrl });
    this.#dispatcher = node.roles.includes("dispatcher")
      ? new Dispatcher({ ...parts, attempts: this.#attempts, source }, node.id)
      : null;
    this.#recovery = this.#dispatcher || this.#planner ? new Recovery(parts, { horizonMs }) : null;
    this.#retention = new Retention({ store, log }, { retentionMs });
  }

  async start(): Promise<void> {
    const { log, store } = this.#deps;
    const { node } = this.#options;
    await this.#retention.start();
    await this.#lease.start();
    this.#planner?.start();
    this.#dispatcher?.start();
    this.#recovery?.start();
    log.info("node.joined", { nodeId: node.id, name: node.name, roles: node.roles, version: node.version });
    store.events.publish([
      { type: "node.joined", timestamp: (await store.now()).toISOString(), projectId: null, data: { node: node.name } },
    ]);
  }

  /** Plans and claims nothing more, lets what runs end, writes every result, and leaves. */
  async stop(): Promise<void> {
    const { log, store } = this.#deps;
    const { node } = this.#options;
    await Promise.all([
      this.#planner?.stop(),
      this.#dispatcher?.stop(),
      this.#recovery?.stop(),
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
      { store: this.#deps.store, jobs: this.#jobs, settler: this.#settler, node: this.#options.node.name },
      executionId,
      claim,
      report,
    );
}
