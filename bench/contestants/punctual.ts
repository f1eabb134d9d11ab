// Punctual as a program's own scheduler. Work is laid out through the API of a node in a process of its own, which is gone
// before anything is measured.

import pg from "pg";
import { Punctual } from "../support/product.ts";
import { Program } from "../support/program.ts";
import type { Contestant, Handle, Item, Place } from "./contestant.ts";
import { copyJob, numberOfCopy } from "./copied-jobs.ts";
import { layOut } from "./punctual-triggers.ts";

export interface PunctualSettings {
  concurrency: number;
  connections?: number;
  /** Work comes as the fires of jobs with a schedule, each a second after the one before; otherwise as triggers. */
  scheduled?: boolean;
  /** Attempts of every execution; the second follows at once. */
  attempts?: number;
}

/** What a job's fires are, one a second. */
interface Fires {
  at: number;
  ids: number[];
}

type Scheduler = InstanceType<typeof Punctual>;

const JOB = "work";
const APP = "bench";
const PERIOD_MS = 1_000;
const DAY_MS = 86_400_000;
const SAVES_AT_ONCE = 20;

export async function open({ databaseUrl }: Place, settings: PunctualSettings): Promise<Contestant> {
  const { concurrency, connections, scheduled = false, attempts } = settings;
  const look = new pg.Client({ connectionString: databaseUrl });
  await look.connect();
  let handle: Handle = () => {};
  const fires = new Map<string, Fires>();
  const make = () => {
    const program = new Punctual({
      app: APP,
      release: "1",
      database: databaseUrl,
      concurrency,
      ...(connections === undefined ? {} : { connections }),
    });
    const retry = attempts === undefined ? {} : { retry: { maxAttempts: attempts, initialDelay: "1ms" } };
    program.job(JOB, { concurrency, ...retry }, async (run) => {
      const job = fires.get(run.job.name);
      if (!scheduled) await handle((run.payload as { id: number }).id);
      else await handle(numberOfCopy(run.job.id) ?? idOf(job!, run.scheduledAt));
      return null;
    });
    return program;
  };
  // Its first start makes the tables and the job; what is laid out then waits for the second.
  const first = make();
  await first.start();
  await first.stop();
  let program: Scheduler | null = null;
  const count = async (text: string) => Number((await look.query(text)).rows[0].count);
  return {
    lay: (items) => (scheduled ? layJobs(program!, { fires, look, items }) : layTriggers(databaseUrl, items)),
    work: async (given) => {
      handle = given;
      program = make();
      await program.start();
    },
    unfinished: () => count("select count(*) from punctual.queue"),
    remembered: () => count("select count(*) from punctual.execution where state = 'succeeded'"),
    close: async () => {
      await program?.stop();
      await look.end();
    },
  };
}

async function layTriggers(databaseUrl: string, items: readonly Item[]): Promise<void> {
  const node = await Program.start(new URL("./punctual-node.ts", import.meta.url));
  try {
    await node.call("start", { databaseUrl, roles: "api" });
    await layOut(node, JOB, items);
    await node.call("stop");
  } finally {
    await node.stop();
  }
}

interface Laying {
  fires: Map<string, Fires>;
  look: pg.Client;
  items: readonly Item[];
}

/** Jobs that fire at these moments and at no other while it is measured. Of those that fire at the same moments one is saved, and the others are its copies. */
async function layJobs(program: Scheduler, { fires, look, items }: Laying): Promise<void> {
  const alike = Map.groupBy(asFires(items), ({ at, ids }) => `${at} ${ids.length}`);
  for (const [job] of alike.values()) fires.set(`${JOB}-${job!.ids[0]}`, job!);
  const rest = fires.entries();
  const save = async () => {
    for (const [name, { at, ids }] of rest) {
      await program.schedule(name, { job: JOB, schedule: scheduleOf(at, ids.length) });
    }
  };
  await Promise.all(Array.from({ length: SAVES_AT_ONCE }, save));
  for (const [job, ...copies] of alike.values()) {
    if (copies.length === 0) continue;
    const from = job!.ids[0]! + 1;
    await copyJob(look, `${JOB}-${job!.ids[0]}`, { from, to: from + copies.length - 1 });
  }
}

function scheduleOf(at: number, fires: number) {
  if (fires === 1) return { every: "24h" as const, startsAt: new Date(at - DAY_MS).toISOString() };
  return { every: "1s" as const, startsAt: new Date(at - PERIOD_MS).toISOString(), maxRuns: fires };
}

/** Items that come a second after one another are fires of one job. */
function asFires(items: readonly Item[]): Fires[] {
  const jobs: Fires[] = [];
  const awaiting = new Map<number, Fires[]>();
  for (const { id, at } of items) {
    const job = awaiting.get(at!)?.pop() ?? { at: at!, ids: [] };
    if (job.ids.length === 0) jobs.push(job);
    job.ids.push(id);
    const next = at! + PERIOD_MS;
    const others = awaiting.get(next);
    if (others === undefined) awaiting.set(next, [job]);
    else others.push(job);
  }
  return jobs;
}

function idOf({ at, ids }: Fires, scheduledAt: Date): number {
  return ids[(scheduledAt.getTime() - at) / PERIOD_MS]!;
}
