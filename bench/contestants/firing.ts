// Items that come due at given moments: how every entry of a lateness claim is measured.

import type { Sample } from "../support/claim.ts";
import type { Stage } from "../support/stage.ts";
import type { Runner } from "./entries.ts";
import type { Fired, Firing } from "./process.ts";
import { checkCounts, withContestant } from "./race.ts";

export async function fireOnce(stage: Stage, { racer, remembers }: Runner, firing: Firing): Promise<Sample> {
  return await withContestant(stage, racer, async (program) => {
    const { executions, processSeconds, storageSeconds, ...lateness } = await program.call<Fired>("fire", firing);
    const count = firing.count + firing.warmup.count;
    checkCounts(executions, remembers ? { remembered: count } : {});
    return {
      ...lateness,
      ...(processSeconds === null ? {} : { processMicros: (processSeconds / count) * 1e6 }),
      ...(storageSeconds === null ? {} : { storageMicros: (storageSeconds / count) * 1e6 }),
    };
  });
}
