// `punctual export`: the server's jobs as a declarative file.

import type { Job } from "../../contract/job.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { exportFile, exportYaml, groupJobs } from "./export-file.ts";

export interface ExportFlags {
  source?: string;
  tag?: string;
  all?: boolean;
  format: "yaml" | "json";
  as: string;
  json?: boolean;
}

const PAGE = 200;

export async function exportJobs(session: Session, flags: ExportFlags): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const jobs: Job[] = [];
  const query = { limit: PAGE, sort: "name", ...picked(flags) } as const;
  for await (const job of client.jobs.all(query)) {
    jobs.push(job);
    out.progress(`Reading jobs: ${jobs.length}`);
  }
  out.endProgress();
  const { kept, notes } = choose(jobs, flags);
  const groups = groupJobs(kept, flags.as);
  if (flags.format === "json" || flags.json) out.print(`${JSON.stringify(oneFile(groups), null, 2)}\n`);
  else out.print(exportYaml(groups));
  if (kept.length === 0) out.note("There are no such jobs.");
  for (const note of notes) out.note(note);
}

function picked({ source, tag }: ExportFlags): { source?: string; tag?: string[] } {
  return { ...(source === undefined ? {} : { source }), ...(tag === undefined ? {} : { tag: [tag] }) };
}

/** What is over, or belongs to a program, is left out unless it was asked for. */
function choose(jobs: readonly Job[], { all, source }: ExportFlags): { kept: Job[]; notes: string[] } {
  if (all) return { kept: [...jobs], notes: [] };
  const over = jobs.filter(({ state }) => state === "completed");
  const ofCode = source === undefined ? jobs.filter((job) => job.source?.startsWith("code:")) : [];
  const notes = [
    ...(over.length === 0 ? [] : [`Left out: ${over.length} that are completed (--all has them).`]),
    ...(ofCode.length === 0 ? [] : [`Left out: ${ofCode.length} that are declared in code (--all has them).`]),
  ];
  return { kept: jobs.filter((job) => !over.includes(job) && !ofCode.includes(job)), notes };
}

function oneFile(groups: ReturnType<typeof groupJobs>) {
  if (groups.length <= 1) return groups[0] === undefined ? { jobs: {} } : exportFile(groups[0]);
  const sources = groups.map(({ source }) => source).join(", ");
  throw new UsageError(
    `A JSON file has one source, and these jobs have several (${sources}): choose one with --source`,
  );
}
