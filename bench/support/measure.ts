// A claim's rounds, one entry after the other and never two at once.

import type { Claim, Entry } from "./claim.ts";
import { describeMachine } from "./machine.ts";
import { startPostgres } from "./postgres.ts";
import type { MeasuredEntry, Result } from "./result.ts";
import { interleaved } from "./rounds.ts";
import type { Stage } from "./stage.ts";

export type Progress = (text: string) => void;

export interface MeasureOptions {
  rounds: number;
  versions: Record<string, string>;
  progress: Progress;
}

const COUNTING = { shared_preload_libraries: "pg_stat_statements" };

export async function measureClaim(claim: Claim, stage: Stage, options: MeasureOptions): Promise<Result> {
  const { rounds, versions, progress } = options;
  const present = claim.entries.filter(({ needsRedis }) => !needsRedis || stage.redis !== null);
  const measured = new Map<Entry, MeasuredEntry>(
    present.map((entry) => [entry, { name: entry.name, kind: entry.kind, settings: entry.settings, samples: [] }]),
  );
  for (const { round, contestant: entry } of interleaved(present, rounds)) {
    progress(`${claim.name}: round ${round + 1} of ${rounds}, ${entry.name}`);
    measured.get(entry)!.samples.push(await run(claim, entry, stage));
  }
  if (claim.countsStatements) await countStatements(claim, measured, stage, progress);
  return {
    claim: claim.name,
    measuredAt: new Date().toISOString(),
    machine: describeMachine(),
    versions,
    quick: stage.quick,
    size: claim.size(stage.quick),
    rounds,
    entries: [...measured.values()],
    leftOut: claim.entries
      .filter((entry) => !present.includes(entry))
      .map(({ name }) => ({ name, why: "there is no redis-server on the machine" })),
  };
}

async function run(claim: Claim, entry: Entry, stage: Stage) {
  try {
    return await entry.run(stage);
  } catch (error) {
    throw new Error(`${claim.name}: ${entry.name} failed`, { cause: error });
  }
}

async function countStatements(
  claim: Claim,
  measured: ReadonlyMap<Entry, MeasuredEntry>,
  stage: Stage,
  progress: Progress,
): Promise<void> {
  const postgres = await startPostgres(COUNTING);
  try {
    if (!(await canCount(postgres))) return;
    for (const [entry, result] of measured) {
      if (entry.needsRedis) continue;
      progress(`${claim.name}: counting statements, ${entry.name}`);
      const { statements } = await run(claim, entry, { ...stage, postgres, counting: true });
      if (statements !== undefined) result.statementsPerExecution = statements;
    }
  } finally {
    await postgres.stop();
  }
}

/** The PostgreSQL that comes with Punctual does not have the extension. */
async function canCount(postgres: Stage["postgres"]): Promise<boolean> {
  try {
    await postgres.query("create extension pg_stat_statements");
    return true;
  } catch {
    return false;
  }
}
