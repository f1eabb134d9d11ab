import { Link } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import type { ReactNode } from "react";
import { useScheduleWords } from "../../ui/schedule-words.ts";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { FullTime, Time } from "../../ui/time.tsx";
import { targetInWords } from "./policies-in-words.ts";

/** What it is, at a glance: when it runs, what it did last, where it goes. */
export function JobSummary({ job }: { job: Job }) {
  const words = useScheduleWords(job.scheduleDescription);
  return (
    <dl className="bg-surface border-line grid grid-cols-1 gap-x-6 gap-y-3 rounded-lg border px-4 py-3 sm:grid-cols-2 lg:grid-cols-[repeat(3,minmax(0,1fr))_minmax(0,1.4fr)]">
      <Item name="Schedule">{words}</Item>
      <Item name="Next run">
        <NextRun job={job} />
      </Item>
      <Item name="Last run">
        <LastRun job={job} />
      </Item>
      <Item name="Target">
        <span className="font-mono text-xs [overflow-wrap:anywhere]">{targetInWords(job.target)}</span>
      </Item>
    </dl>
  );
}

export function TagLinks({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <li key={tag}>
          <Link
            to="/jobs"
            search={{ tag }}
            className="bg-raised text-muted hover:text-ink inline-block rounded px-1.5 py-0.5 text-xs"
          >
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Item({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function NextRun({ job: { state, schedule, nextFireAt, pause } }: { job: Job }) {
  if (state === "deleted") return "Never: it was deleted";
  if (state === "paused" && pause?.until != null)
    return (
      <>
        Paused until <FullTime at={pause.until} />
      </>
    );
  if (state === "paused") return "Paused, until somebody resumes it";
  if (nextFireAt !== null) return <FullTime at={nextFireAt} />;
  return schedule === null ? "When it is triggered" : "None: its schedule has come to its end";
}

function LastRun({ job: { lastExecution } }: { job: Job }) {
  if (lastExecution === null) return <span className="text-muted">It has not run yet</span>;
  const { id, state, runAt, startedAt, error, reason } = lastExecution;
  const why = error?.message ?? reason?.message;
  return (
    <>
      <Link to="/executions/$id" params={{ id }} className="inline-flex items-center gap-2 hover:underline">
        <ExecutionStateBadge state={state} /> <Time at={startedAt ?? runAt} />
      </Link>
      {why !== undefined && <p className="text-muted line-clamp-2 text-xs">{why}</p>}
    </>
  );
}
