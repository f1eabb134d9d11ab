import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { Job, SchedulePreview } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { Card } from "../../ui/card.tsx";
import { Empty, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { shortText, useZone } from "../../ui/zone.ts";

const SHOWN = 10;
const PASSING_MS = 15_000;

/** The next instants of the schedule, with what is unusual about each. */
export function ComingInstants({ job }: { job: Job }) {
  const zone = useZone();
  return (
    <Card title="Coming up" flush aside={<span className="text-muted text-xs">{zone}</span>}>
      {job.state === "deleted" ? (
        <Empty title="Nothing: it was deleted." />
      ) : job.schedule === null ? (
        <Empty title="It has no schedule.">
          <p>It runs when it is triggered. The tab Code has what to paste for that.</p>
        </Empty>
      ) : (
        <Instants job={job} />
      )}
    </Card>
  );
}

function Instants({ job }: { job: Job }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    // Executions do not change them, only edits and the passing of an instant: both are in the key. While the job is paused
    // instants pass that nobody tells of.
    queryKey: ["settings", "next of", job.id, job.version, job.nextFireAt],
    refetchInterval: useRefresh(PASSING_MS),
    queryFn: ({ signal }) => client.jobs.next(job.id, { count: SHOWN }, { signal }),
  });
  if (data === undefined) return error === null ? <Loading /> : <Failure error={error} retry={() => void refetch()} />;
  if (data.instants.length === 0)
    return <Empty title="Its schedule has come to its end.">{<p>Edit it to let it run again.</p>}</Empty>;
  return (
    <>
      {job.state === "paused" && (
        <p className="text-warn border-line border-b px-4 py-2 text-xs">While it is paused, these are skipped.</p>
      )}
      <ol aria-label={`Next instants of ${job.name}`}>
        {data.instants.map((instant) => (
          <Instant key={instant.at} instant={instant} zone={job.schedule?.timezone} />
        ))}
      </ol>
      {data.notes.length > 0 && (
        <div className="border-line flex flex-col gap-2 border-t p-3 text-xs">
          {data.notes.map((note) => (
            <Notice key={note} tone="warn">
              {note}
            </Notice>
          ))}
        </div>
      )}
    </>
  );
}

function Instant({
  instant: { at, local, note },
  zone: ownZone,
}: {
  instant: SchedulePreview["instants"][number];
  /** The schedule's own. */
  zone: string | undefined;
}) {
  const zone = useZone();
  return (
    <li className="border-line border-b px-4 py-1.5 last:border-b-0">
      <div className="flex items-baseline justify-between gap-3">
        <span>
          <span className="text-muted inline-block w-9">{weekdayText(new Date(at), zone)}</span>
          {shortText(new Date(at), zone)}
        </span>
        <span className="text-muted text-xs">
          <Time at={at} />
        </span>
      </div>
      {ownZone !== undefined && ownZone !== zone && (
        <div className="text-muted pl-9 text-xs">
          {local.replace("T", " ")} {ownZone}
        </div>
      )}
      {note !== null && (
        <div className="text-warn mt-0.5 flex items-start gap-1 text-xs">
          <TriangleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          {note}
        </div>
      )}
    </li>
  );
}

/** Mon. */
function weekdayText(at: Date, zone: string): string {
  return at.toLocaleDateString("en-GB", { weekday: "short", timeZone: zone });
}
