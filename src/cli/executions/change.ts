import type { RetryInput } from "../../client/index.ts";
import { type BulkFlags, runBulk } from "../bulk.ts";
import { EXIT } from "../exit-code.ts";
import { given } from "../listing.ts";
import { readJson } from "../read-json.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { type ExecutionFilterFlags, executionFilter, isFiltered } from "./filter.ts";
import { followToEnd } from "./follow.ts";

export interface RetryFlags extends BulkFlags, ExecutionFilterFlags {
  payload?: string;
  original?: boolean;
  wait?: boolean;
  timeout?: string;
}

export interface CancelFlags extends BulkFlags, ExecutionFilterFlags {
  reason?: string;
}

const THINGS = ["execution", "executions"] as const;

export async function retryExecutions(session: Session, flags: RetryFlags, ...ids: string[]): Promise<number> {
  const { out } = session;
  const { original, wait, timeout } = flags;
  if (timeout !== undefined && !wait) throw new UsageError("--timeout says how long to wait, so it goes with --wait");
  if (wait && ids.length !== 1) throw new UsageError("--wait follows one execution: name one");
  if (byFilter(flags, ids)) {
    if (original || flags.payload !== undefined)
      throw new UsageError("--original and --payload go with executions that are named");
    return await changeMatching(session, flags, "retry", { verb: "Retry", done: "Retried" });
  }
  const payload = flags.payload === undefined ? undefined : await readJson("--payload", flags.payload);
  const input: RetryInput = given({ payload, version: original ? ("original" as const) : undefined });
  const client = await session.client();
  for (const id of ids) {
    const execution = await client.executions.retry(id, input);
    if (wait) return await followToEnd(session, execution, { timeout });
    if (ids.length === 1) out.show(execution, () => execution.id);
    else out.showLine(execution, () => execution.id);
    const what = execution.id === id ? "Its next attempt is due now" : `Runs again as ${execution.id}`;
    if (!out.json) out.note(`${execution.jobName}: ${what}. Its log: punctual executions logs -f ${execution.id}`);
  }
  return EXIT.done;
}

export async function cancelExecutions(session: Session, flags: CancelFlags, ...ids: string[]): Promise<number> {
  const { out } = session;
  if (byFilter(flags, ids)) {
    if (flags.reason !== undefined) throw new UsageError("--reason goes with executions that are named");
    return await changeMatching(session, flags, "cancel", { verb: "Cancel", done: "Cancelled" });
  }
  const client = await session.client();
  for (const id of ids) {
    const execution = await client.executions.cancel(id, given({ reason: flags.reason }));
    if (ids.length === 1) out.show(execution, () => "");
    else out.showLine(execution, () => "");
    if (!out.json) out.note(`${execution.jobName}: ${id} is ${execution.state}.`);
  }
  return EXIT.done;
}

function byFilter(flags: BulkFlags & ExecutionFilterFlags, ids: readonly string[]): boolean {
  const filtered = isFiltered(flags);
  if (filtered && ids.length > 0) throw new UsageError("Name the executions or describe them with flags, not both");
  if (!filtered && ids.length === 0)
    throw new UsageError("Say which: executions by their id, or describe them (--job, --state, --from …)");
  if (!filtered && flags.dryRun)
    throw new UsageError("--dry-run counts what a description matches: use --job, --state …");
  return filtered;
}

async function changeMatching(
  session: Session,
  flags: BulkFlags & ExecutionFilterFlags,
  action: "retry" | "cancel",
  words: { verb: string; done: string },
): Promise<number> {
  const client = await session.client();
  const filter = await executionFilter(client, flags, session.out.now);
  return await runBulk(session, flags, { ...words, things: THINGS }, (options) =>
    client.bulk.executions({ action, filter, ...options }),
  );
}
