// One run of a fault: a database, a target and nodes of its own; load, fault, heal, quiet, judgement. The database is one of
// the test run's server, unless the test brings a cluster that it wants to ill-treat.
//
// All that is left to chance comes from one seed, which every run prints. PUNCTUAL_FAULT_SEED=<seed> repeats the choices of a
// run, though not its timing.
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished } from "vitest";
import { brokenPromises, check, type Report, readLedger, summary, type WatchedJob } from "./checker.ts";
import { createTestDatabase, startTestCluster, type TestCluster } from "./database.ts";
import { launchNode, type NodeOptions, type TestNode } from "./nodes.ts";
import { startTarget, type Target } from "./target.ts";

const QUIET_MS_MAX = 60_000;
const REQUESTS_AT_ONCE = 8;

export interface FaultRunOptions {
  /** What the run is called in its report. */
  name: string;
  leaseMs: number;
  cluster?: TestCluster;
}

export interface Load {
  jobs: number;
  job(index: number, dice: Dice): JobShape;
}

export interface JobShape {
  schedule: WatchedJob["schedule"];
  path?: string;
  overlap?: string;
  misfire?: Record<string, unknown>;
  retry?: Record<string, unknown>;
}

/** A job of the run; `ended` is null as long as it fires. */
export type FiringJob = Omit<WatchedJob, "ended"> & { ended: WatchedJob["ended"] | null };

export class FaultRun {
  readonly databaseUrl: string;
  readonly target: Target;
  readonly pool: pg.Pool;
  readonly dice: Dice;
  readonly nodes: TestNode[] = [];
  readonly jobs: FiringJob[] = [];
  readonly triggered: string[] = [];
  faultAt: number | null = null;
  readonly #options: FaultRunOptions;
  /** Refused writes of nodes that are gone. */
  #staleWrites = 0;

  constructor(databaseUrl: string, target: Target, options: FaultRunOptions) {
    this.databaseUrl = databaseUrl;
    this.target = target;
    this.#options = options;
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
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
    const { databaseUrl } = this;
    const { leaseMs } = this.#options;
    const name = `node-${this.nodes.length + 1}`;
    const node = launchNode({ databaseUrl, name, leaseMs, ...options });
    this.nodes.push(node);
    return node;
  }

  get running(): TestNode[] {
    return this.nodes.filter((node) => node.running);
  }

  /** Creates the jobs over the node given. They fire from their creation on, until `quiet`. */
  async load(via: TestNode, load: Load): Promise<void> {
    await atOnce(
      Array.from({ length: load.jobs }, (_, index) => load.job(index, this.dice)).entries(),
      ([index, shape]) => this.createJob(via, `job-${index}`, shape),
    );
  }

  async createJob(via: TestNode, name: string, shape: JobShape): Promise<FiringJob> {
    const { schedule, path = "/ok", ...rest } = shape;
    const when =
      "everyMs" in schedule ? { every: `${schedule.everyMs}ms` } : { cron: `*/${schedule.cronSeconds} * * * * *` };
    const target = { type: "http", url: `${this.target.url}${path}` };
    const body = await via.insist("POST", "/jobs", { name, schedule: when, target, overlap: "allow", ...rest });
    const job = { id: String(body.id), name, schedule, createdAt: Date.parse(String(body.createdAt)), ended: null };
    this.jobs.push(job);
    return job;
  }

  /** Has the job changed so that it does not fire any more, and notes when. */
  async end(job: FiringJob, change: () => Promise<unknown>): Promise<void> {
    const after = await this.now();
    await change();
    job.ended = { after, before: await this.now() };
  }

  /** The database's own time, in milliseconds. */
  async now(): Promise<number> {
    const { rows } = await this.pool.query<{ now: Date }>("select clock_timestamp()::timestamptz(3) as now");
    return rows[0]!.now.getTime();
  }

  /** Nothing that is due waits for more than a second any more. */
  async healed(): Promise<void> {
    await this.until("nothing is overdue", QUIET_MS_MAX, async () => {
      const { rows } = await this.pool.query<{ n: string }>(
        `select count(*) as n from punctual.queue
         where state <> 'running' and hold is null and run_at < now() - interval '1 second'`,
      );
      return Number(rows[0]!.n) === 0;
    });
  }

  /**
   * All jobs that still fire lose their schedule; then what is under way, retries included, is waited for. (A pause would
   * hold the retries.)
   */
  async quiet(): Promise<void> {
    const [via] = this.running;
    const firing = this.jobs.filter(({ ended }) => ended === null);
    await atOnce(firing.values(), (job) =>
      this.end(job, () => via!.insist("PATCH", `/jobs/${job.id}`, { schedule: null })),
    );
    await this.until("the queue is empty", QUIET_MS_MAX, async () => {
      const { rows } = await this.pool.query<{ n: string }>("select count(*) as n from punctual.queue");
      return Number(rows[0]!.n) === 0;
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
    const { triggered, faultAt } = this;
    const ledger = await readLedger(this.pool);
    const calls = this.target.calls();
    const report = check({ jobs: this.jobs.map(asEnded), triggered, faultAt, ledger, calls });
    for (const node of this.running) await this.noteStaleWrites(node);
    const staleWrites = this.#staleWrites;
    console.log(
      `${this.#options.name} · seed ${this.dice.seed} · ${summary(report)} · stale writes refused ${staleWrites}`,
    );
    return { ...report, staleWrites };
  }

  /** Healed, quiet, sound. */
  async judge(): Promise<Report & { staleWrites: number }> {
    // What is left in the queue is better told by the checker, which knows its name.
    const late = await this.healed()
      .then(() => this.quiet())
      .catch((error: Error) => error);
    const report = await this.report();
    expect(brokenPromises(report).slice(0, 20), `seed ${this.dice.seed}`).toEqual([]);
    if (late) throw late;
    return report;
  }
}

export async function beginFaultRun(options: FaultRunOptions): Promise<FaultRun> {
  const run = new FaultRun(options.cluster?.url ?? (await freshDatabase()), await startTarget(), options);
  onTestFinished(() => run.pool.end());
  return run;
}

/** Empty, and removed when the test is over. */
export async function faultCluster(settings: Record<string, string> = {}): Promise<TestCluster> {
  // If it is killed it must keep what it acknowledged; the disk below it is not killed, so that fsync may stay off.
  const cluster = await startTestCluster({ settings: { synchronous_commit: "on", ...settings } });
  onTestFinished(() => cluster.remove());
  return cluster;
}

async function freshDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

function asEnded(job: FiringJob): WatchedJob {
  if (job.ended === null) throw new Error(`${job.name} still fires: what was due is not known yet`);
  return { ...job, ended: job.ended };
}

/** Does the same with many, a few at a time. */
async function atOnce<T>(items: IterableIterator<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const take = async () => {
    // All of them take from one iterator.
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, take));
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
