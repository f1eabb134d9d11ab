// One contestant, one measurement: a database and a process of its own, nobody else at work.

import { Program } from "../support/program.ts";
import type { Stage } from "../support/stage.ts";
import type { Place } from "./contestant.ts";
import type { Counted, Opening } from "./process.ts";

export interface Racer {
  /** Path from bench/: "peers/pg-boss.ts". */
  module: string;
  settings: unknown;
  onRedis?: boolean;
}

/** The one that everybody has for himself. */
export const DATABASE = "bench";

/** Runs `work` with the contestant's process, which was told where to keep what it has. */
export async function withContestant<T>(
  stage: Stage,
  { module, settings, onRedis = false }: Racer,
  work: (program: Program, place: Place) => Promise<T>,
): Promise<T> {
  return await withDatabase(stage, async (databaseUrl) => {
    const place = { databaseUrl, redisUrl: stage.redis?.url ?? "" };
    const storagePid = onRedis ? (stage.redis?.pid ?? null) : stage.postgres.pid;
    const program = await Program.start(new URL("./process.ts", import.meta.url));
    try {
      await program.call("open", { module, settings, place, storagePid } satisfies Opening);
      const result = await work(program, place);
      await program.call("close");
      return result;
    } finally {
      await program.stop();
    }
  });
}

/** Everybody begins after a checkpoint, so that none falls into the measurement, and with an empty database. */
export async function withDatabase<T>({ postgres, redis }: Stage, work: (url: string) => Promise<T>): Promise<T> {
  await redis?.empty();
  const url = await postgres.createDatabase(DATABASE);
  await postgres.query("checkpoint");
  try {
    return await work(url);
  } finally {
    await postgres.dropDatabase(DATABASE);
  }
}

/** What autovacuum does sooner or later, for all alike: plans made without statistics are a matter of luck. */
export async function settleDown({ postgres }: Stage): Promise<void> {
  await postgres.query("vacuum analyze", DATABASE);
}

/** Bytes of write-ahead log, and statements if the server counts them, while `work` runs. */
export async function written<T>(
  { postgres, counting }: Stage,
  work: () => Promise<T>,
): Promise<{ result: T; walBytes: number; statements: number | null }> {
  if (counting) await postgres.query("select pg_stat_statements_reset()");
  const position = async () => (await postgres.query<{ lsn: string }>("select pg_current_wal_lsn() as lsn"))[0]!.lsn;
  const from = await position();
  const result = await work();
  const [wal] = await postgres.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '${from}') as bytes`,
  );
  const walBytes = Number(wal!.bytes);
  if (!counting) return { result, walBytes, statements: null };
  const [calls] = await postgres.query<{ sum: string }>(
    `select sum(calls) from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = '${DATABASE}'`,
  );
  return { result, walBytes, statements: Number(calls!.sum) };
}

/** Nothing lost, nothing done twice; and where a history is kept, all of it is there. */
export function checkCounts(counted: Counted, expected: { remembered?: number }): void {
  const { lost, doubled, unfinished, remembered } = counted;
  const wrong = [
    lost > 0 && `${lost} were lost`,
    doubled > 0 && `${doubled} were done more than once`,
    unfinished > 0 && `${unfinished} are unfinished in the storage`,
    expected.remembered !== undefined &&
      remembered !== expected.remembered &&
      `the history has ${remembered} of ${expected.remembered}`,
  ].filter((problem) => problem !== false);
  if (wrong.length > 0) throw new Error(wrong.join(", "));
}
