// From the filters that clients write, in a query or in the body of a bulk operation, to those of the store.

import type { ExecutionFilter } from "../store/port/executions.ts";
import type { JobFilter } from "../store/port/jobs.ts";

interface WrittenJobFilter {
  state?: JobFilter["states"] | undefined;
  tag?: string[] | undefined;
  q?: string | undefined;
  source?: string | undefined;
}

export function jobFilter({ state, tag, q, source }: WrittenJobFilter): JobFilter {
  return {
    ...(state ? { states: state } : {}),
    ...(tag ? { tags: tag } : {}),
    ...(q ? { text: q } : {}),
    ...(source ? { source } : {}),
  };
}

interface WrittenExecutionFilter {
  state?: ExecutionFilter["states"] | undefined;
  trigger?: ExecutionFilter["triggers"] | undefined;
  jobId?: string[] | undefined;
  tag?: string[] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

export function executionFilter({ state, trigger, jobId, tag, from, to }: WrittenExecutionFilter): ExecutionFilter {
  return {
    ...(state ? { states: state } : {}),
    ...(trigger ? { triggers: trigger } : {}),
    ...(jobId ? { jobIds: jobId } : {}),
    ...(tag ? { tags: tag } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}
