import type { Job } from "punctual/client";
import { useNow } from "../../ui/clock.ts";
import { roughDurationText } from "../../ui/duration.ts";
import { Hint } from "../../ui/hint.tsx";
import { JobStateBadge } from "../../ui/state-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { absoluteText, useZone } from "../../ui/zone.ts";

/** A job that is due is planned within moments; what is due for longer is late. */
const LATE_MS = 10_000;

/** When a job runs next, or why it does not. */
export function NextRun({ job }: { job: Job }) {
  if (job.state === "paused" && job.pause !== null) return <Paused pause={job.pause} />;
  if (job.state !== "active")
    return (
      <span className="flex">
        <JobStateBadge state={job.state} />
      </span>
    );
  if (job.nextFireAt !== null) return <Countdown at={job.nextFireAt} />;
  return <span className="text-muted">{job.schedule === null ? "when triggered" : "none"}</span>;
}

function Countdown({ at }: { at: string }) {
  const lateMs = useNow() - Date.parse(at);
  if (lateMs < 0) return <Time at={at} />;
  if (lateMs < LATE_MS) return <span className="whitespace-nowrap">now</span>;
  return <span className="text-warn font-medium whitespace-nowrap">{roughDurationText(lateMs)} late</span>;
}

function Paused({ pause: { reason, by, at, until } }: { pause: NonNullable<Job["pause"]> }) {
  const zone = useZone();
  const said = [
    reason ?? "No reason was given.",
    `${by === null ? "Since" : `By ${by},`} ${absoluteText(new Date(at), zone)}.`,
    until === null ? "" : `Until ${absoluteText(new Date(until), zone)}.`,
  ];
  return (
    <Hint text={said.filter((part) => part !== "").join(" ")}>
      <span className="flex w-fit">
        <JobStateBadge state="paused" />
      </span>
    </Hint>
  );
}
