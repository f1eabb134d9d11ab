import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { scheduleWords } from "../../ui/schedule-words.ts";
import { Time } from "../../ui/time.tsx";
import { useZone } from "../../ui/zone.ts";
import { LIST_LINK, OverviewList, Row } from "./overview-list.tsx";

const SHOWN = 8;
const REFRESH_MS = 15_000;

/** Which jobs fire next. */
export function ComingList() {
  const client = useClient();
  const zone = useZone();
  const { data, error, refetch } = useQuery({
    queryKey: ["jobs", "coming"],
    queryFn: ({ signal }) => client.jobs.list({ state: "active", sort: "nextFireAt", limit: SHOWN }, { signal }),
    refetchInterval: useRefresh(REFRESH_MS),
  });
  return (
    <OverviewList
      title="What comes next"
      aside={
        <Link to="/jobs" search={{ sort: "nextFireAt" }} className={LIST_LINK}>
          All jobs
        </Link>
      }
      rows={data?.items.filter(({ nextFireAt }) => nextFireAt !== null)}
      error={error}
      retry={() => void refetch()}
      idOf={({ id }) => id}
      empty="No active job has an instant to come."
    >
      {({ id, name, nextFireAt, scheduleDescription }) => (
        <>
          <Row aside={<Time at={nextFireAt!} />}>
            <Link to="/jobs/$job" params={{ job: id }} className="font-medium underline-offset-2 hover:underline">
              {name}
            </Link>
          </Row>
          <p className="text-muted truncate text-xs" title={scheduleWords(scheduleDescription, zone)}>
            {scheduleWords(scheduleDescription, zone)}
          </p>
        </>
      )}
    </OverviewList>
  );
}
