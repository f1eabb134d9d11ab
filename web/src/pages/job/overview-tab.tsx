import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty, Failure, Loading } from "../../ui/notice.tsx";
import { ComingInstants } from "./coming-instants.tsx";
import { JobDaysCard } from "./days.tsx";
import { executionId, executionName, FEW_EXECUTION_COLUMNS } from "./execution-columns.tsx";
import { Figures } from "./figures.tsx";
import { Policies } from "./policies.tsx";

const SHOWN = 8;

/** What ran, what did not and why, what comes next; then how it has been doing. */
export function OverviewTab({ job }: { job: Job }) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-3">
      <LastExecutions job={job} />
      <ComingInstants job={job} />
      <Figures job={job} />
      <JobDaysCard job={job} />
      <Card title="Rules">
        <Policies spec={job} />
      </Card>
    </div>
  );
}

function LastExecutions({ job }: { job: Job }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["executions", "last of", job.id],
    queryFn: ({ signal }) => client.jobs.executions(job.id, { limit: SHOWN }, { signal }),
  });
  const all = (
    <Link from="/jobs/$job" to="." search={{ tab: "executions" }} className="text-accent text-xs hover:underline">
      All executions
    </Link>
  );
  return (
    <Card title="Last executions" aside={all} flush className="lg:col-span-2">
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <Failure error={error} retry={() => void refetch()} />
        )
      ) : data.items.length === 0 ? (
        <Empty title="It has not run yet.">
          <p>
            {job.schedule === null
              ? "It has no schedule: run it by hand, or trigger it from a program."
              : "When its time comes, what became of it is here."}
          </p>
        </Empty>
      ) : (
        <DataTable
          label={`Last executions of ${job.name}`}
          columns={FEW_EXECUTION_COLUMNS}
          rows={data.items}
          idOf={executionId}
          nameOf={executionName}
        />
      )}
    </Card>
  );
}
