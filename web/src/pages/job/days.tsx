import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { HeatMap } from "../../charts/heat-map.tsx";
import { Card } from "../../ui/card.tsx";
import { Failure, Loading } from "../../ui/notice.tsx";
import { dayBounds } from "../../ui/wall-time.ts";
import { useZone } from "../../ui/zone.ts";

/** A quarter of a year. */
const DAYS = 91;

/** What became of the job day by day; a day leads to its executions. */
export function JobDaysCard({ job }: { job: Job }) {
  const client = useClient();
  const navigate = useNavigate({ from: "/jobs/$job" });
  const timezone = useZone();
  const { data, error, refetch } = useQuery({
    queryKey: ["stats", "days of", job.id, timezone],
    queryFn: ({ signal }) => client.jobs.days(job.id, { timezone, days: DAYS }, { signal }),
  });
  const choose = (date: string) => {
    const bounds = dayBounds(date, timezone);
    if (bounds === null) return;
    const { from, to } = bounds;
    void navigate({ search: { tab: "executions", from: from.toISOString(), to: to.toISOString() } });
  };
  return (
    <Card title="Day by day" aside={<span className="text-muted text-xs">{timezone}</span>} className="lg:col-span-2">
      {data === undefined ? (
        error === null ? (
          <Loading rows={7} />
        ) : (
          <Failure error={error} retry={() => void refetch()} />
        )
      ) : (
        <HeatMap label={`Executions of ${job.name}, day by day`} days={data.items} onChoose={choose} />
      )}
      {data?.complete === false && (
        <p className="text-muted mt-2 text-xs">
          Some days have more executions than are counted: there are at least so many.
        </p>
      )}
    </Card>
  );
}
