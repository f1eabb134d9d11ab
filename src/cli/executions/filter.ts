import type { PunctualClient } from "../../client/index.ts";
import { parseDuration } from "../../contract/duration.ts";
import type { ExecutionState, Trigger } from "../../contract/execution.ts";
import { given } from "../listing.ts";
import { UsageError } from "../usage-error.ts";

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
    from: timeOf("--from", flags.from, now),
    to: timeOf("--to", flags.to, now),
  });
}

/** A deleted job is found by its id only, and its history is still there. */
export async function jobIdOf(client: PunctualClient, job: string): Promise<string> {
  return (await client.jobs.get(job)).id;
}

/** A time, or how long ago. */
function timeOf(flag: string, text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(ms|s|m|h|d)$/.test(text)) return new Date(now.getTime() - parseDuration(text)).toISOString();
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${flag} "${text}" is not a time: write 2026-12-01T09:00:00Z, or 2h for two hours ago`);
}
