// A queue of any length, in a database of its own: work that is due and waits, copied from a trigger that a node took.

import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Claimed } from "../../src/store/port/queue.ts";
import { copyRow, fireId, jobId } from "../support/copied-rows.ts";
import { ServiceNode } from "../support/service-node.ts";
import type { Stage } from "../support/stage.ts";
import { openStore, type Store } from "./built-store.ts";
import { succeeded } from "./settlement.ts";

/** Where the work goes and how urgent it is: SQL over `g`, its number. */
export interface Shape {
  name: string;
  lane: string;
  priority: string;
}

/** Claims and settles hundreds: what a node with a hundred free slots does. */
const BATCH = 100;
const JOBS = 1_000;
const LEASE_MS = 10 * 60_000;
const ROWS_PER_INSERT = 100_000;

export class WaitingWork {
  readonly store: Store;
  readonly client: pg.Client;
  readonly #nodeId: string;
  #laid = 0;

  private constructor(store: Store, nodeId: string, client: pg.Client) {
    this.store = store;
    this.client = client;
    this.#nodeId = nodeId;
  }

  static async within(stage: Stage, database: string, work: (waiting: WaitingWork) => Promise<void>): Promise<void> {
    const url = await stage.postgres.createDatabase(database);
    await makeTemplate(url);
    const { store, nodeId } = await openStore(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await layJobs(client);
      await client.query("create temp table template as select * from punctual.queue");
      await work(new WaitingWork(store, nodeId, client));
    } finally {
      await client.end();
      await store.close();
      await stage.postgres.dropDatabase(database);
    }
  }

  async empty(): Promise<void> {
    await this.client.query("truncate punctual.queue");
    await this.store.nodes.renew({
      id: this.#nodeId,
      name: "bench",
      roles: [],
      version: "0",
      concurrency: BATCH,
      leaseMs: LEASE_MS,
    });
  }

  /** Due since up to a minute ago. */
  async lay(count: number, { lane, priority }: Shape): Promise<void> {
    for (let left = count; left > 0; left -= ROWS_PER_INSERT) {
      const part = Math.min(left, ROWS_PER_INSERT);
      const moment = "(now() - (g % 60000) * interval '1 millisecond')";
      const id = fireId(moment, "g::text");
      await copyRow(this.client, {
        table: "template",
        into: "punctual.queue",
        where: "true",
        changed: {
          id,
          root_id: id,
          job_id: jobId(`1 + g % ${JOBS}`),
          run_at: moment,
          scheduled_at: moment,
          hold: "null",
          lane,
          priority: `(${priority})::smallint`,
        },
        from: this.#laid + 1,
        to: this.#laid + part,
      });
      this.#laid += part;
    }
  }

  async claim(order: "priority" | "oldest"): Promise<Claimed[]> {
    const tokens = Array.from({ length: BATCH }, () => randomUUID());
    const { claimed } = await this.store.queue.claimDue({
      nodeId: this.#nodeId,
      tokens,
      lanes: [],
      laneLimit: BATCH,
      order,
    });
    if (claimed.length !== BATCH) throw new Error(`${claimed.length} of ${BATCH} were claimed`);
    return claimed;
  }

  async settle(claimed: Claimed[]): Promise<void> {
    const settled = await this.store.queue.settleFinal(claimed.map(succeeded));
    if (settled.length !== claimed.length) throw new Error(`${settled.length} of ${claimed.length} were settled`);
  }

  /** Milliseconds of `rounds` claims in both orders and of their settles; as much comes in as goes out. */
  async timed(rounds: number, shape: Shape): Promise<{ priority: number[]; oldest: number[]; settle: number[] }> {
    const spans = { priority: [] as number[], oldest: [] as number[], settle: [] as number[] };
    for (let round = 0; round < rounds; round++)
      for (const order of ["priority", "oldest"] as const) {
        const begunAt = performance.now();
        const claimed = await this.claim(order);
        const claimedAt = performance.now();
        await this.settle(claimed);
        spans[order].push(claimedAt - begunAt);
        spans.settle.push(performance.now() - claimedAt);
        await this.lay(BATCH, shape);
      }
    return spans;
  }
}

/** A trigger for tomorrow. */
async function makeTemplate(url: string): Promise<void> {
  const node = await ServiceNode.start({ databaseUrl: url, roles: "api" });
  try {
    const target = { type: "http" as const, url: "http://127.0.0.1:9/" };
    const { id } = await node.client.jobs.create({ name: "template", target });
    await node.client.jobs.trigger(id, { delay: "24h" });
  } finally {
    await node.stop();
  }
}

async function layJobs(client: pg.Client): Promise<void> {
  const range = { from: 1, to: JOBS };
  const where = "job_id = (select id from punctual.job where name = 'template')";
  const named = { id: jobId("g"), name: "'job-' || g" };
  await copyRow(client, { table: "punctual.job", where: "name = 'template'", changed: named, ...range });
  for (const table of ["punctual.job_version", "punctual.cursor", "punctual.gate"])
    await copyRow(client, { table, where, changed: { job_id: jobId("g") }, ...range });
}
