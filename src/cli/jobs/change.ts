import type { PunctualClient } from "../../client/index.ts";
import type { Job } from "../../contract/job.ts";
import { type BulkFlags, type BulkWords, runBulk } from "../bulk.ts";
import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { given } from "../listing.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import type { JobFilterFlags } from "./list.ts";

export interface BulkJobFlags extends BulkFlags, JobFilterFlags {
  all?: boolean;
}

export interface PauseFlags extends BulkJobFlags {
  reason?: string;
  until?: string;
}

const THINGS = ["job", "jobs"] as const;

export async function pauseJobs(session: Session, flags: PauseFlags, ...names: string[]): Promise<number> {
  const { reason, until } = flags;
  if (byFilter(flags, names)) {
    if (until !== undefined) throw new UsageError("--until goes with jobs that are named");
    return await changeMatching(session, flags, "pause", { verb: "Pause", done: "Paused", things: THINGS }, { reason });
  }
  return await changeNamed(session, names, flags, (client, name) => client.jobs.pause(name, given({ reason, until })), {
    done: (job) => `Paused ${job.name}${until === undefined ? "" : ` until ${until}`}.`,
  });
}

export async function resumeJobs(session: Session, flags: BulkJobFlags, ...names: string[]): Promise<number> {
  if (byFilter(flags, names))
    return await changeMatching(session, flags, "resume", { verb: "Resume", done: "Resumed", things: THINGS });
  return await changeNamed(session, names, flags, (client, name) => client.jobs.resume(name), {
    done: (job) => `Resumed ${job.name}. Next: ${session.out.time(job.nextFireAt)}`,
  });
}

export async function deleteJobs(session: Session, flags: BulkJobFlags, ...names: string[]): Promise<number> {
  if (byFilter(flags, names))
    return await changeMatching(session, flags, "delete", { verb: "Delete", done: "Deleted", things: THINGS });
  const client = await session.client();
  // Looked up first, so that a question is never asked about something that is not there.
  const jobs: Job[] = [];
  for (const name of names) jobs.push(await client.jobs.get(name));
  const question = `Delete ${jobs.map(({ name }) => `"${name}"`).join(", ")}? The history stays.`;
  if (flags.dryRun) return dryRun(session, names);
  if (!(await confirm(session, question, flags))) return EXIT.failed;
  for (const { id, name } of jobs) {
    await client.jobs.delete(id);
    session.out.note(`Deleted ${name}.`);
  }
  return EXIT.done;
}

/** Names or a filter, one of the two; with neither it is asked what is meant. */
function byFilter({ state, tag, source, q, all }: BulkJobFlags, names: readonly string[]): boolean {
  const filtered = [state, tag, source, q].some((part) => part !== undefined) || all === true;
  if (filtered && names.length > 0) throw new UsageError("Name the jobs or describe them with flags, not both");
  if (!filtered && names.length === 0)
    throw new UsageError("Say which: name the jobs, describe them (--tag, --state, --q, --source), or use --all");
  return filtered;
}

async function changeMatching(
  session: Session,
  flags: BulkJobFlags,
  action: "pause" | "resume" | "delete",
  words: BulkWords,
  extra: { reason?: string | undefined } = {},
): Promise<number> {
  const client = await session.client();
  const { state, tag, source, q } = flags;
  const filter = given({ state: state as "active" | undefined, tag, source, q });
  return await runBulk(session, flags, words, (options) =>
    client.bulk.jobs({ action, filter, ...given(extra), ...options }),
  );
}

/** One after the other; the first that cannot be changed ends it. With --json, one job a line if there are several. */
async function changeNamed(
  session: Session,
  names: readonly string[],
  flags: BulkFlags,
  change: (client: PunctualClient, name: string) => Promise<Job>,
  { done }: { done: (job: Job) => string },
): Promise<number> {
  if (flags.dryRun) return dryRun(session, names);
  const client = await session.client();
  for (const name of names) {
    const job = await change(client, name);
    if (names.length === 1) session.out.show(job, () => "");
    else session.out.showLine(job, () => "");
    if (!session.out.json) session.out.note(done(job));
  }
  return EXIT.done;
}

function dryRun({ out }: Session, names: readonly string[]): number {
  const answer = { matched: names.length, changed: 0, failed: 0, failures: [] };
  out.show(answer, () => `It would be ${names.join(", ")}; nothing was done.`);
  return EXIT.done;
}
