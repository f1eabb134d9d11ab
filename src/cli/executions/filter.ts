import type { PunctualClient } from "../../client/index.ts";
import type { ExecutionState, Trigger } from "../../contract/execution.ts";
import { given } from "../listing.ts";
import { pastTime } from "../past-time.ts";

export interface ExecutionFilterFlags {
  state?: string;
  job?: string;
  trigger?: string;
  tag?: string;
  from?: string;
  to?: string;
}

export function isFiltered({ state, job, trigger, tag, from, to }: ExecutionFilterFlags): boolean {
  return [state, job, trigger, tag, from, to].some((part) => part !== undefined);
}

/** The filter as the API takes it: jobs by their id, times as instants. */
export async function executionFilter(client: PunctualClient, flags: ExecutionFilterFlags, now: Date) {
  const { state, trigger, tag } = flags;
  const jobId = flags.job === undefined ? undefined : await jobIdOf(client, flags.job);
  return given({
    state: state?.split(",") as ExecutionState[] | undefined,
    trigger: trigger?.split(",") as Trigger[] | undefined,
    tag: tag?.split(","),
    jobId,
    from: pastTime("--from", flags.from, now),
    to: pastTime("--to", flags.to, now),
  });
}

/** A deleted job is found by its id only, and its history is still there. */
export async function jobIdOf(client: PunctualClient, job: string): Promise<string> {
  return (await client.jobs.get(job)).id;
}
