// All of a queue, as fast as a contestant can: how every entry of a throughput claim is measured.

import type { Measure, Sample } from "../support/claim.ts";
import type { Stage } from "../support/stage.ts";
import type { Drained } from "./process.ts";
import { checkCounts, type Racer, settleDown, withContestant, written } from "./race.ts";

export interface DrainOptions {
  count: number;
  /** Not all alike: how often those that fail are tried. */
  mixed?: { attempts: 1 | 2 };
  /** How many executions its storage must remember afterwards; without it nothing is asked. */
  remembered?: number;
}

/** What an execution costs beside time; processor time and log include beginning to work. */
export const COSTS: readonly Measure[] = [
  { key: "processMicros", label: "its CPU µs", better: "less" },
  { key: "storageMicros", label: "storage CPU µs", better: "less" },
  { key: "walBytes", label: "WAL bytes", better: "less" },
];

export async function drainOnce(stage: Stage, racer: Racer, options: DrainOptions): Promise<Sample> {
  const { count, mixed, remembered } = options;
  return await withContestant(stage, racer, async (program) => {
    await program.call(mixed ? "layMixed" : "layMany", { count });
    await settleDown(stage);
    const { result, walBytes, statements } = await written(stage, () =>
      program.call<Drained>(mixed ? "drainMixed" : "drain", { count, ...mixed }),
    );
    checkCounts(result.executions, remembered === undefined ? {} : { remembered });
    return drainSample(result, { count, walBytes: racer.onRedis ? null : walBytes, statements });
  });
}

export function drainSample(
  { elapsedMs, beginMs, processSeconds, storageSeconds }: Drained,
  { count, walBytes, statements }: { count: number; walBytes: number | null; statements: number | null },
): Sample {
  return {
    perSecond: (count / elapsedMs) * 1_000,
    beginMs,
    ...(processSeconds === null ? {} : { processMicros: (processSeconds / count) * 1e6 }),
    ...(storageSeconds === null ? {} : { storageMicros: (storageSeconds / count) * 1e6 }),
    ...(walBytes === null ? {} : { walBytes: walBytes / count }),
    ...(statements === null ? {} : { statements: statements / count }),
  };
}
