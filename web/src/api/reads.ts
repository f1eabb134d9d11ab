// What more than one page reads. The same key always holds the same answer, as it came: whoever wants less of it selects.

import type {
  CallOptions,
  DetailedHealth,
  Execution,
  HandlerView,
  Job,
  JobCounts,
  JobCountsFilter,
  Page,
  PunctualClient,
  Stats,
} from "punctual/client";
import type { Kind } from "./queries.ts";

/** Key and call of a query; how often and when is the page's own matter. */
export interface Read<T> {
  queryKey: readonly [kind: Kind, ...unknown[]];
  queryFn: (context: { signal: AbortSignal }) => Promise<T>;
}

export const reads = {
  health: (client: PunctualClient): Read<DetailedHealth> =>
    read(["nodes", "health"], (options) => client.health.detailed(options)),

  handlers: (client: PunctualClient): Read<Page<HandlerView>> =>
    read(["workers", "handlers"], (options) => client.handlers.list(options)),

  job: (client: PunctualClient, nameOrId: string): Read<Job> =>
    read(["job", nameOrId], (options) => client.jobs.get(nameOrId, options)),

  jobCounts: (client: PunctualClient, filter: JobCountsFilter): Read<JobCounts> =>
    read(["jobs", "counts", filter], (options) => client.jobs.counts(filter, options)),

  execution: (client: PunctualClient, id: string): Read<Execution> =>
    read(["execution", id], (options) => client.executions.get(id, options)),

  totals: (client: PunctualClient, window: string): Read<Stats> =>
    read(["stats", "totals", window], (options) => client.stats({ window }, options)),
};

/** What a page has to itself may be read in the same way. */
export function read<T>(queryKey: Read<T>["queryKey"], call: (options: CallOptions) => Promise<T>): Read<T> {
  return { queryKey, queryFn: ({ signal }) => call({ signal }) };
}
