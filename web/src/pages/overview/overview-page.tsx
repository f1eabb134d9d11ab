import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useClient } from "../../api/session.tsx";
import { Page } from "../../ui/page.tsx";
import { Segments } from "../../ui/segments.tsx";
import { FirstContact } from "../jobs/first-contact.tsx";
import { ComingList } from "./coming-list.tsx";
import { FailingList } from "./failing-list.tsx";
import { FigureCharts } from "./figure-charts.tsx";
import { Figures } from "./figures.tsx";
import { HealthLine } from "./health-line.tsx";
import { RunningList } from "./running-list.tsx";
import { WINDOWS } from "./search.ts";

/** What ran, what did not and why, what runs and what comes next. */
export function OverviewPage() {
  const { window = "24h" } = useSearch({ from: "/" });
  const hasJobs = useHasJobs();
  return (
    <Page
      title="Overview"
      actions={
        hasJobs && (
          <Segments
            label="How far back"
            segments={WINDOWS.map((each) => ({
              label: each,
              current: each === window,
              search: each === "24h" ? {} : { window: each },
            }))}
          />
        )
      }
    >
      <HealthLine />
      {hasJobs ? (
        <>
          <Figures window={window} />
          <FigureCharts window={window} />
          <div className="grid items-start gap-4 lg:grid-cols-2 xl:grid-cols-3">
            <FailingList window={window} />
            <RunningList />
            <ComingList />
          </div>
        </>
      ) : (
        <FirstContact />
      )}
    </Page>
  );
}

/** Taken for granted until it is known: whoever has jobs should not be welcomed for a moment each time. */
function useHasJobs(): boolean {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["jobs", "any"],
    queryFn: ({ signal }) => client.jobs.list({ limit: 1 }, { signal }),
  });
  return data === undefined || data.items.length > 0;
}
