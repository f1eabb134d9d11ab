// Doing what a plan says. A job that somebody changed since the plan was made is left alone and reported: every change
// names the version it was planned for.

import { PunctualApiError, type PunctualClient, PunctualConnectionError } from "../../client/index.ts";
import { inParallel } from "./in-parallel.ts";
import type { Plan, Step, StepOf } from "./plan.ts";

const CHANGES_AT_ONCE = 8;

/** A step that does something. */
export type Doable = StepOf<"create" | "change" | "unchanged" | "prune">;

export interface StepResult {
  job: string;
  action: "create" | "change" | "confirm" | "prune";
  done: boolean;
  version: number | null;
  error: { code: string; message: string } | null;
}

export function doableSteps({ steps }: Plan, { prune }: { prune: boolean }): { changes: Doable[]; prunes: Doable[] } {
  const isChange = (step: Step): step is Doable =>
    step.kind === "create" || step.kind === "change" || (step.kind === "unchanged" && step.confirm);
  const isPrune = (step: Step): step is Doable => step.kind === "prune";
  return { changes: steps.filter(isChange), prunes: prune ? steps.filter(isPrune) : [] };
}

/** One failure does not keep the others from being done; each says what became of it. */
export async function applySteps(
  client: PunctualClient,
  steps: readonly Doable[],
  { adopt, onDone }: { adopt: boolean; onDone: (done: number) => void },
): Promise<StepResult[]> {
  return await inParallel(steps, { atOnce: CHANGES_AT_ONCE, onDone }, async (step): Promise<StepResult> => {
    const job = step.kind === "prune" ? step.current.name : step.declared.name;
    const action = step.kind === "unchanged" ? "confirm" : step.kind;
    try {
      return { job, action, done: true, version: await applyStep(client, step, adopt), error: null };
    } catch (error) {
      return { job, action, done: false, version: null, error: describe(error) };
    }
  });
}

async function applyStep(client: PunctualClient, step: Doable, adopt: boolean): Promise<number | null> {
  if (step.kind === "prune") {
    const { id, version, source } = step.current;
    await client.jobs.delete(id, { ifMatch: version, source: source! });
    return null;
  }
  const { name, fields, source } = step.declared;
  const job =
    step.kind === "create"
      ? // Not PUT: what somebody else has made meanwhile is not to be replaced.
        await client.jobs.create({ name, ...fields } as never, { source })
      : await client.jobs.put(name, fields as never, { source, adopt, ifMatch: step.current.version });
  return job.version;
}

function describe(error: unknown): { code: string; message: string } {
  if (error instanceof PunctualApiError) {
    const meanwhile = error.code === "version_mismatch" || error.code === "name_taken";
    return {
      code: error.code,
      message: meanwhile ? `${error.reason} (changed since the plan: plan again)` : error.reason,
    };
  }
  if (error instanceof PunctualConnectionError) return { code: "unreachable", message: error.message };
  throw error;
}
