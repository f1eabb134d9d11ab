// One run of a fault: a database, a target and nodes of its own; load, fault, heal, quiet, judgement.
//
// All that is left to chance comes from one seed, which every run prints. PUNCTUAL_FAULT_SEED=<seed> repeats the choices of a
// run, though not its timing.
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished } from "vitest";
import { brokenPromises, check, type Report, readLedger, summary, type WatchedJob } from "./checker.ts";
import { startTestCluster, type TestCluster } from "./database.ts";
import { launchNode, type NodeOptions, type TestNode } from "./nodes.ts";
import { startTarget, type Target } from "./target.ts";

// A database that is killed must keep what it acknowledged; the disk below it is not killed, so that fsync may stay off.
const SETTINGS = { synchronous_commit: "on" };
const QUIET_MS_MAX = 60_000;
const CREATING_AT_ONCE = 8;

export interface FaultRunOptions {
  /** What the run is called in its report. */
  name: string;
  leaseMs: number;
  settings?: Record<string, string>;
}

export interface Load {
  jobs: number;
  /** How long the jobs fire, counted from before the first one is created. */
  seconds: number;
  job(index: number, dice: Dice): JobShape;
}

export interface JobShape {
  schedule: WatchedJob["schedule"];
  path?: string;
  overlap?: string;
  misfire?: Record<string, unknown>;
  retry?: Record<string, unknown>;
}

export class FaultRun {
  readonly cluster: TestCluster;
  readonly target: Target;
  readonly pool: pg.Pool;
  readonly dice: Dice;
  readonly nodes: TestNode[] = [];
  readonly jobs: WatchedJob[] = [];
  readonly triggered: string[] = [];
  faultAt: number | null = null;
  readonly #options: FaultRunOptions;
  /** Refused writes of nodes that are gone. */
  #staleWrites = 0;

  constructor(cluster: TestCluster, target: Target, options: FaultRunOptions) {
    this.cluster = cluster;
    this.target = target;
    this.#options = options;
    this.pool = new pg.Pool({ connectionString: cluster.url, max: 4 });
    this.pool.on("error", () => {});
    this.dice = new Dice(Number(process.env.PUNCTUAL_FAULT_SEED) || randomInt(1, 2 ** 31));
  }

  /** Waits until all of them serve. */
  async startNodes(count: number, options: Partial<NodeOptions> = {}): Promise<TestNode[]> {
    const started = Array.from({ length: count }, () => this.#launch(options));
    await Promise.all(started.map((node) => node.ready()));
    return started;
  }

  #launch(options: Partial<NodeOptions>): TestNode {
    const { leaseMs } = this.#options;
    const name = `node-${this.nodes.length + 1}`;
    const node = launchNode({ databaseUrl: this.cluster.url, name, leaseMs, ...options });
    this.nodes.push(node);
    return node;
  }

  get running(): TestNode[] {
    return this.nodes.filter((node) => node.running);
  }

  /** Creates the jobs over the node given; all end at the same moment, so that it is known exactly what was due. */
  async load(via: TestNode, load: Load): Promise<{ endsAt: number }> {
    const endsAt = Date.now() + load.seconds * 1_000;
    const left = Array.from({ length: load.jobs }, (_, index) => index);
    const create = async () => {
      for (let index = left.shift(); index !== undefined; index = left.shift())
        await this.createJob(via, `job-${index}`, load.job(index, this.dice), endsAt);
    };
    await Promise.all(Array.from({ length: CREATING_AT_ONCE }, create));
    return { endsAt };
  }

  async createJob(via: TestNode, name: string, shape: JobShape, endsAt: number): Promise<WatchedJob> {
    const { schedule, path = "/ok", ...rest } = shape;
    const when =
      "everyMs" in schedule ? { every: `${schedule.everyMs}ms` } : { cron: `*/${schedule.cronSeconds} * * * * *` };
    const { status, body } = await via.api("POST", "/jobs", {
      name,
      schedule: { ...when, endsAt: new Date(endsAt).toISOString() },
      target: { type: "http", url: `${this.target.url}${path}` },
      overlap: "allow",
      ...rest,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    const job = { id: String(body.id), name, schedule, createdAt: Date.parse(String(body.createdAt)), endsAt };
    this.jobs.push(job);
    return job;
  }

  /** The database's own time, in milliseconds. */
  async now(): Promise<number> {
    const { rows } = await this.pool.query<{ now: Date }>("select clock_timestamp()::timestamptz(3) as now");
    return rows[0]!.now.getTime();
  }

  /** Nothing is due any more, and nothing is left to do. */
  async quiet(): Promise<void> {
    const lastEnd = Math.max(0, ...this.jobs.map(({ endsAt }) => endsAt));
    await this.until("the queue is empty and no schedule goes on", QUIET_MS_MAX + lastEnd - Date.now(), async () => {
      if (Date.now() < lastEnd) return false;
      const { rows } = await this.pool.query(
        `select (select count(*) from punctual.queue)
           + (select count(*) from punctual.job where state = 'active' and id = any($1)) as n`,
        [this.jobs.map(({ id }) => id)],
      );
      return Number(rows[0].n) === 0;
    });
  }

  /** Waits for a condition. A question that cannot be asked, because the database is away, is not an answer. */
  async until(what: string, msMax: number, condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + msMax;
    let problem: unknown = null;
    while (performance.now() < deadline) {
      try {
        if (await condition()) return;
        problem = null;
      } catch (error) {
        problem = error;
      }
      await sleep(50);
    }
    throw new Error(`after ${msMax} ms it was still not so that ${what} (seed ${this.dice.seed})`, { cause: problem });
  }

  /** For faults that end with the node: its counters are gone with it. */
  async noteStaleWrites(node: TestNode): Promise<void> {
    this.#staleWrites += await node.metric("punctual_stale_writes_refused_total");
  }

  async report(): Promise<Report & { staleWrites: number }> {
    const { jobs, triggered, faultAt } = this;
    const report = check({ jobs, triggered, faultAt, ledger: await readLedger(this.pool), calls: this.target.calls() });
    for (const node of this.running) await this.noteStaleWrites(node);
    const staleWrites = this.#staleWrites;
    console.log(
      `${this.#options.name} · seed ${this.dice.seed} · ${summary(report)} · stale writes refused ${staleWrites}`,
    );
    return { ...report, staleWrites };
  }

  /** Quiet, then sound. */
  async judge(): Promise<Report & { staleWrites: number }> {
    const late = await this.quiet().then(
      () => null,
      (error: Error) => error,
    );
    const report = await this.report();
    expect(brokenPromises(report).slice(0, 20), `seed ${this.dice.seed}`).toEqual([]);
    if (late) throw late;
    return report;
  }
}

export async function beginFaultRun(options: FaultRunOptions): Promise<FaultRun> {
  const [cluster, target] = await Promise.all([
    startTestCluster({ settings: { ...SETTINGS, ...options.settings } }),
    startTarget(),
  ]);
  onTestFinished(() => cluster.remove());
  const run = new FaultRun(cluster, target, options);
  onTestFinished(() => run.pool.end());
  return run;
}

/** Chance that can be repeated (mulberry32). */
export class Dice {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!;
  }
}
