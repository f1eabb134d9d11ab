import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { numberText } from "../../ui/counted.ts";
import { Time } from "../../ui/time.tsx";
import { LIST_LINK, OverviewList, Row } from "./overview-list.tsx";
import type { Window } from "./search.ts";

const SHOWN = 6;
const REFRESH_MS = 30_000;

/** What fails most, with why it did the last time. */
export function FailingList({ window }: { window: Window }) {
  const client = useClient();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ["stats", "failing", window],
    queryFn: ({ signal }) => client.failing({ window, limit: SHOWN }, { signal }),
    refetchInterval: useRefresh(REFRESH_MS),
  });
  const shown = isPlaceholderData ? undefined : data;
  return (
    <OverviewList
      title="What fails most"
      aside={
        <Link to="/dead-letters" className={LIST_LINK}>
          Dead letters
        </Link>
      }
      rows={shown?.items}
      error={error}
      retry={() => void refetch()}
      idOf={({ jobId }) => jobId}
      empty={`Nothing failed in the last ${window}.`}
      note={shown?.complete === false ? "So much failed that only the latest failures are counted." : undefined}
    >
      {({ jobId, jobName, failed, error: latest, executionId, at }) => (
        <>
          <Row aside={<span className="text-bad">{numberText(failed)} failed</span>}>
            <Link to="/jobs/$job" params={{ job: jobId }} className="font-medium underline-offset-2 hover:underline">
              {jobName}
            </Link>
          </Row>
          <div className="text-muted flex items-baseline justify-between gap-3 text-xs leading-4">
            <Link
              to="/executions/$id"
              params={{ id: executionId }}
              className="my-1 line-clamp-2 min-w-0 underline-offset-2 [overflow-wrap:anywhere] hover:underline"
            >
              {latest?.message ?? "It ended without a reason"}
            </Link>
            <Time at={at} />
          </div>
        </>
      )}
    </OverviewList>
  );
}
