import type { Job, Pause } from "punctual/client";
import { useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { FullTime } from "../../ui/time.tsx";
import { useResume } from "./resume.ts";

/** What is not as one would expect: paused, over, deleted, changed from elsewhere, or doubtful. */
export function JobBanners({ job }: { job: Job }) {
  return (
    <>
      {job.state === "deleted" && (
        <Notice tone="warn">
          This job was deleted. What it was and what it did can be read; nothing about it can be changed, and its name
          is free for another.
        </Notice>
      )}
      {job.state === "completed" && (
        <Notice tone="run">
          This job has run and is done. It is deleted {job.retainFor} after its end; its history stays.
        </Notice>
      )}
      {job.state === "paused" && job.pause !== null && <PauseBanner job={job} pause={job.pause} />}
      {job.drifted && (
        <Notice tone="warn">
          It belongs to <strong>{job.source}</strong> and was last changed from elsewhere: the next apply from there
          undoes that change.
        </Notice>
      )}
      {job.warnings.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warn">
          <p className="first-letter:uppercase">{message}</p>
        </Notice>
      ))}
    </>
  );
}

function PauseBanner({ job, pause: { by, at, reason, until } }: { job: Job; pause: Pause }) {
  const mayOperate = useMay("operate");
  const resume = useResume(job);
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div>
          <p>
            <strong className="font-medium">Paused</strong>
            {by !== null && <> by {by}</>}, <FullTime at={at} />
            {until === null ? (
              "."
            ) : (
              <>
                , until <FullTime at={until} />.
              </>
            )}{" "}
            Instants meanwhile are skipped; it can still be run by hand.
          </p>
          {reason !== null && <p className="mt-1 whitespace-pre-line">“{reason}”</p>}
        </div>
        {mayOperate && (
          <Button size="small" busy={resume.isPending} onClick={() => resume.mutate()}>
            Resume
          </Button>
        )}
      </div>
    </Notice>
  );
}
