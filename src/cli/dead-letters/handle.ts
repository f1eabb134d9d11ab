import type { BulkDeadLettersInput } from "../../client/index.ts";
import { type BulkFlags, runBulk } from "../bulk.ts";
import { jobIdOf } from "../executions/filter.ts";
import { given } from "../listing.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

export interface HandleFlags extends BulkFlags {
  job?: string;
  group?: string;
  all?: boolean;
}

const THINGS = ["dead letter", "dead letters"] as const;

export async function retryDeadLetters(session: Session, flags: HandleFlags, ...ids: string[]): Promise<number> {
  const selection = await selectionOf(session, flags, ids);
  const client = await session.client();
  return await runBulk(session, flags, { verb: "Retry", done: "Retried", things: THINGS }, (options) =>
    client.deadLetters.retry({ ...selection, ...options }),
  );
}

export async function discardDeadLetters(session: Session, flags: HandleFlags, ...ids: string[]): Promise<number> {
  const selection = await selectionOf(session, flags, ids);
  const client = await session.client();
  return await runBulk(session, flags, { verb: "Discard", done: "Discarded", things: THINGS }, (options) =>
    client.deadLetters.discard({ ...selection, ...options }),
  );
}

async function selectionOf(
  session: Session,
  { job, group, all }: HandleFlags,
  ids: string[],
): Promise<Pick<BulkDeadLettersInput, "ids" | "filter">> {
  const filtered = job !== undefined || group !== undefined || all === true;
  if (filtered && ids.length > 0) throw new UsageError("Name the executions or use --job, --group or --all, not both");
  if (ids.length > 0) return { ids };
  if (!filtered) throw new UsageError("Say which: executions by their id, --job <job>, --group <group>, or --all");
  const jobId = job === undefined ? undefined : await jobIdOf(await session.client(), job);
  return { filter: given({ jobId, group }) };
}
