import type { DeadLetterStatus } from "../../client/index.ts";
import { jobIdOf } from "../executions/filter.ts";
import { given, type ListFlags, showPages } from "../listing.ts";
import { toneOf } from "../output/colour.ts";
import type { Session } from "../session.ts";

export interface GroupsFlags {
  job?: string;
  status?: string;
  limit?: number;
}

export interface ListDeadLettersFlags extends ListFlags, GroupsFlags {
  group?: string;
}

const NONE = "There are no dead letters: nothing has failed for good.";

export async function listDeadLetters(session: Session, flags: ListDeadLettersFlags): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const query = { ...(await filterOf(session, flags)), ...given({ group: flags.group }) };
  await showPages(
    out,
    flags,
    { page: (page) => client.deadLetters.list({ ...query, ...page }), all: () => client.deadLetters.all(query) },
    {
      columns: [
        { title: "EXECUTION", of: ({ id }) => id },
        { title: "JOB", of: ({ jobName }) => jobName, min: 12 },
        { title: "SINCE", of: ({ createdAt }) => out.time(createdAt) },
        { title: "WHY", of: ({ error, reason }) => error?.message ?? reason?.message ?? "-", min: 24 },
        { title: "STATUS", of: ({ status }) => ({ text: status, tone: toneOf(status) }), rank: 1 },
        { title: "GROUP", of: ({ group }) => group, rank: 2 },
      ],
      empty: Object.keys(query).length > 0 ? "No dead letter matches." : NONE,
    },
  );
}

export async function listGroups(session: Session, flags: GroupsFlags): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const groups = await client.deadLetters.groups({
    ...(await filterOf(session, flags)),
    ...given({ limit: flags.limit }),
  });
  out.showList(
    groups,
    [
      { title: "COUNT", of: ({ count }) => String(count), align: "right" },
      { title: "JOB", of: ({ jobName }) => jobName, min: 12 },
      { title: "ERROR", of: ({ error }) => error?.message ?? "-", min: 16 },
      { title: "LAST", of: ({ lastAt }) => out.time(lastAt) },
      { title: "FIRST", of: ({ firstAt }) => out.time(firstAt), rank: 1 },
      { title: "GROUP", of: ({ group }) => group },
    ],
    { empty: NONE },
  );
}

async function filterOf(session: Session, { job, status }: GroupsFlags) {
  const jobId = job === undefined ? undefined : await jobIdOf(await session.client(), job);
  return given({ jobId, status: status?.split(",") as DeadLetterStatus[] | undefined });
}
