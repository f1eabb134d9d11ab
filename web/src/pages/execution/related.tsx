import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Execution } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { dueAt } from "../../charts/waterfall-layout.ts";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Failure, Loading } from "../../ui/notice.tsx";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { shortText, useZone } from "../../ui/zone.ts";

const BESIDE = 4;
/** Retries of one execution are sought among so many of its job. */
const RETRIES_SOUGHT = 200;

/** What it repeats, what repeats it, and what the job did before and after. */
export function Related({ execution }: { execution: Execution }) {
  const client = useClient();
  const { id, jobId, jobName, retryOf } = execution;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["executions", "beside", id],
    queryFn: ({ signal }) => readBeside(client, execution, signal),
  });
  return (
    <Card
      title="Of the same job"
      flush
      aside={
        <Link
          to="/executions"
          search={{ job: jobName === jobId ? jobId : jobName }}
          className="text-accent text-xs underline-offset-2 hover:underline"
        >
          All
        </Link>
      }
    >
      {isPending && <Loading rows={4} />}
      {error && data === undefined && <Failure error={error} retry={() => void refetch()} />}
      {data && (
        <div className="py-1">
          {retryOf !== null && (
            <Group title="It repeats">
              <Row id={retryOf} />
            </Group>
          )}
          {data.retries.length > 0 && (
            <Group title="Run again as">
              {data.retries.map((each) => (
                <Row key={each.id} id={each.id} execution={each} />
              ))}
            </Group>
          )}
          <Group title="Newer and older">
            {data.beside.map((each) => (
              <Row key={each.id} id={each.id} execution={each} isThis={each.id === id} />
            ))}
          </Group>
        </div>
      )}
    </Card>
  );
}

async function readBeside(client: ReturnType<typeof useClient>, execution: Execution, signal: AbortSignal) {
  const { id, jobId, finishedAt } = execution;
  // In lists it stands where it was first due; `runAt` moves on with each attempt.
  const at = new Date(dueAt(execution));
  const page = { limit: BESIDE + 1 };
  const [newer, older, again] = await Promise.all([
    client.executions.list({ jobId, from: at, order: "asc", ...page }, { signal }),
    client.executions.list({ jobId, to: at, ...page }, { signal }),
    finishedAt === null
      ? { items: [] }
      : client.executions.list(
          { jobId, trigger: "retry", from: finishedAt, order: "asc", limit: RETRIES_SOUGHT },
          { signal },
        ),
  ]);
  const others = [...newer.items, ...older.items].filter((each) => each.id !== id);
  const above = others
    .filter((each) => each.id > id)
    .sort(byId)
    .slice(-BESIDE);
  const below = others
    .filter((each) => each.id < id)
    .sort(byId)
    .slice(0, BESIDE);
  return {
    retries: again.items.filter(({ retryOf }) => retryOf === id),
    beside: [...above, execution, ...below],
  };
}

/** Ids begin with the time they are about. */
function byId(one: Execution, other: Execution): number {
  return one.id < other.id ? 1 : -1;
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="py-1">
      <h3 className="text-muted px-4 py-1 text-xs font-medium">{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}

function Row({ id, execution, isThis = false }: { id: string; execution?: Execution; isThis?: boolean }) {
  return (
    <li className={cx("flex items-center justify-between gap-2 px-4 py-1", isThis && "bg-raised")}>
      <Link
        to="/executions/$id"
        params={{ id }}
        aria-current={isThis ? "page" : undefined}
        className={cx("truncate underline-offset-2 hover:underline", isThis ? "font-medium" : "text-accent")}
      >
        {execution ? <At ms={dueAt(execution)} /> : <span className="font-mono text-xs">{id}</span>}
      </Link>
      {execution && (
        <span className="flex items-center gap-1.5">
          {execution.count > 1 && <span className="text-muted text-xs">{execution.count} ×</span>}
          <ExecutionStateBadge state={execution.state} />
        </span>
      )}
    </li>
  );
}

/** By the clock: those beside each other are all as long ago. */
function At({ ms }: { ms: number }) {
  const zone = useZone();
  const at = new Date(ms);
  return <time dateTime={at.toISOString()}>{shortText(at, zone)}</time>;
}
