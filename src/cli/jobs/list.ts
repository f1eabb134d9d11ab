import type { Job } from "../../contract/job.ts";
import { given, type ListFlags, showPages } from "../listing.ts";
import { toneOf } from "../output/colour.ts";
import type { Output } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import type { Session } from "../session.ts";
import { scheduleText, targetText } from "./schedule-text.ts";

export interface JobFilterFlags {
  state?: string;
  tag?: string;
  source?: string;
  q?: string;
}

export interface ListJobsFlags extends ListFlags, JobFilterFlags {
  sort?: "name" | "-name" | "created" | "-created" | "nextFireAt" | "-nextFireAt";
}

export async function listJobs(session: Session, flags: ListJobsFlags): Promise<void> {
  const client = await session.client();
  const { state, tag, source, q, sort } = flags;
  const query = given({ state: state as "active" | undefined, tag, source, q, sort });
  const narrowed = [state, tag, source, q].some((part) => part !== undefined);
  await showPages(
    session.out,
    flags,
    { page: (page) => client.jobs.list({ ...query, ...page }), all: () => client.jobs.all(query) },
    { columns: jobColumns(session.out), empty: narrowed ? "No job matches." : NO_JOBS },
  );
}

const NO_JOBS = `There are no jobs yet. Make a first one:
  punctual jobs create --name hello --every 10s --url https://example.com/hello`;

function jobColumns(out: Output): Column<Job>[] {
  return [
    { title: "NAME", of: ({ name }) => name, min: 16 },
    { title: "STATE", of: ({ state }) => ({ text: state, tone: toneOf(state) }) },
    { title: "SCHEDULE", of: ({ schedule }) => scheduleText(schedule), min: 14 },
    { title: "NEXT", of: ({ nextFireAt }) => out.time(nextFireAt) },
    { title: "LAST", of: ({ lastExecution: last }) => ({ text: last?.state ?? "-", tone: toneOf(last?.state ?? "") }) },
    { title: "RAN", of: ({ lastExecution: last }) => out.time(last?.startedAt), rank: 1 },
    { title: "TARGET", of: ({ target }) => targetText(target), rank: 2, min: 24 },
    { title: "TAGS", of: ({ tags }) => tags.join(","), rank: 3, min: 10 },
    { title: "SOURCE", of: ({ source }) => source ?? "-", rank: 4, min: 10 },
  ];
}
