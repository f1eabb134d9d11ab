import type { Execution } from "../../contract/execution.ts";
import { given, type ListFlags, showPages } from "../listing.ts";
import { toneOf } from "../output/colour.ts";
import type { Output } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { lasting } from "../output/time.ts";
import type { Session } from "../session.ts";
import { type ExecutionFilterFlags, executionFilter, isFiltered } from "./filter.ts";

export interface ListExecutionsFlags extends ListFlags, ExecutionFilterFlags {
  order?: "asc" | "desc";
}

export async function listExecutions(session: Session, flags: ListExecutionsFlags): Promise<void> {
  const client = await session.client();
  const filter = await executionFilter(client, flags, session.out.now);
  const query = { ...filter, ...given({ order: flags.order }) };
  await showPages(
    session.out,
    flags,
    { page: (page) => client.executions.list({ ...query, ...page }), all: () => client.executions.all(query) },
    {
      columns: executionColumns(session.out),
      empty: isFiltered(flags)
        ? "No execution matches."
        : "Nothing has run yet. Run a job with: punctual jobs trigger <job>",
    },
  );
}

function executionColumns(out: Output): Column<Execution>[] {
  return [
    { title: "ID", of: ({ id }) => id },
    { title: "JOB", of: ({ jobName }) => jobName, min: 12 },
    { title: "STATE", of: ({ state }) => ({ text: state, tone: toneOf(state) }) },
    { title: "WHEN", of: ({ runAt, startedAt }) => out.time(startedAt ?? runAt) },
    {
      title: "TOOK",
      of: ({ durationMs }) => (durationMs === null ? "-" : lasting(durationMs)),
      align: "right",
      rank: 1,
    },
    { title: "TRY", of: ({ attempt }) => String(attempt), align: "right", rank: 2 },
    { title: "TRIGGER", of: ({ trigger }) => trigger, rank: 3 },
    { title: "WHY", of: ({ error, reason }) => error?.message ?? reason?.message ?? "", rank: 4, min: 16 },
  ];
}
