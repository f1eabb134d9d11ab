import type { PunctualClient } from "../../client/index.ts";
import { ExpectedError } from "../expected-error.ts";
import { UsageError } from "../usage-error.ts";

export interface OneFlags {
  job?: string;
}

/** The execution that is meant: named by its id, or the newest of a job. */
export async function executionId(client: PunctualClient, { job }: OneFlags, id: string | undefined): Promise<string> {
  if ((id === undefined) === (job === undefined))
    throw new UsageError("Say which: an execution's id, or --job <job> for the newest of a job");
  if (id !== undefined) return id;
  const { items } = await client.jobs.executions(job!, { limit: 1 });
  if (items.length === 0)
    throw new ExpectedError(`"${job}" has not run yet. Run it with: punctual jobs trigger ${job}`);
  return items[0]!.id;
}
