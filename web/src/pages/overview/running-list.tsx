import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Execution } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { useNow } from "../../ui/clock.ts";
import { numberText } from "../../ui/counted.ts";
import { roughDurationText } from "../../ui/duration.ts";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { LIST_LINK, OverviewList, Row } from "./overview-list.tsx";

const SHOWN = 8;
const REFRESH_MS = 10_000;
const STATES = ["running", "retrying"] as const;

/** What runs now, that which was to run first at the top: it is the one that may hang. */
export function RunningList() {
  const client = useClient();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data, error, refetch } = useQuery({
    queryKey: ["executions", "running-now"],
    queryFn: ({ signal }) => client.executions.list({ state: STATES, order: "asc", limit: SHOWN }, { signal }),
    refetchInterval,
  });
  const counts = useQuery({
    queryKey: ["executions", "running-now", "counts"],
    queryFn: ({ signal }) => client.executions.counts({ state: STATES }, { signal }),
    refetchInterval,
  });
  const all = counts.data && counts.data.running + counts.data.retrying;
  return (
    <OverviewList
      title="What runs now"
      aside={
        <Link to="/executions" search={{ state: "running" }} className={LIST_LINK}>
          {all === undefined || all <= SHOWN ? "Executions" : `All ${numberText(all)}`}
        </Link>
      }
      rows={data?.items}
      error={error}
      retry={() => void refetch()}
      idOf={({ id }) => id}
      empty="Nothing is running."
    >
      {(execution) => (
        <Row aside={<ExecutionStateBadge state={execution.state} />}>
          <Link
            to="/executions/$id"
            params={{ id: execution.id }}
            className="font-medium underline-offset-2 hover:underline"
          >
            {execution.jobName}
          </Link>
          <span className="text-muted ml-2 text-xs">
            <Elapsed execution={execution} />
          </span>
        </Row>
      )}
    </OverviewList>
  );
}

function Elapsed({ execution: { startedAt, attempt } }: { execution: Execution }) {
  const now = useNow();
  const since = startedAt === null ? "" : `for ${roughDurationText(Math.max(0, now - Date.parse(startedAt)))}`;
  return `${since}${attempt > 1 ? `, attempt ${attempt}` : ""}`;
}
