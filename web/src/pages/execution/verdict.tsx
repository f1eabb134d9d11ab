import type { Execution } from "punctual/client";
import type { ReactNode } from "react";
import { useNow } from "../../ui/clock.ts";
import { numberText } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";
import { Notice } from "../../ui/notice.tsx";
import { EXECUTION_LOOK } from "../../ui/state-badge.tsx";
import { relativeText } from "../../ui/time.tsx";
import { shortText, useZone } from "../../ui/zone.ts";
import { readProgress } from "../executions/why.ts";

/** The first thing to be read: what became of it, and why, in a sentence. */
export function Verdict({ execution }: { execution: Execution }) {
  const { state, reason, error } = execution;
  const codes = [reason?.code, error?.code].filter((code) => code !== undefined);
  return (
    <Notice tone={EXECUTION_LOOK[state]?.tone ?? "idle"}>
      <p className="text-base leading-6 font-medium">
        <Sentence execution={execution} />
      </p>
      {codes.length > 0 && <p className="text-muted font-mono text-xs">{[...new Set(codes)].join(" · ")}</p>}
      {state === "running" && <Progress progress={execution.progress} />}
    </Notice>
  );
}

function Sentence({ execution }: { execution: Execution }): ReactNode {
  const { state, reason, error, attempt, durationMs } = execution;
  switch (state) {
    case "succeeded":
      return `Succeeded${durationMs === null ? "" : ` in ${durationText(durationMs)}`}${attempt > 1 ? `, at attempt ${attempt}` : ""}.`;
    case "running":
      return <Running execution={execution} />;
    case "retrying":
      return <Retrying execution={execution} />;
    case "scheduled":
      return <Scheduled execution={execution} />;
    case "skipped":
      return <Skipped execution={execution} />;
    case "cancelled":
      return sentence(
        /^cancelled/i.test(reason?.message ?? "")
          ? reason!.message
          : `cancelled: ${reason?.message ?? "no reason was given"}`,
      );
    case "unknown":
      return sentence(`nobody knows how it ended: ${reason?.message ?? "no reason was given"}`);
    default:
      return sentence(reason?.message ?? error?.message ?? `It is ${state}; no reason was given.`);
  }
}

function Running({ execution: { attempts, attempt, startedAt } }: { execution: Execution }) {
  const now = useNow();
  const current = attempts?.at(-1);
  const since = current?.startedAt ?? startedAt;
  const where = current?.worker ?? current?.node;
  return (
    <>
      Runs{since && ` for ${durationText(Math.max(0, Math.floor((now - Date.parse(since)) / 1_000) * 1_000))}`}
      {where && ` on ${where}`}
      {attempt > 1 && `, attempt ${attempt}`}.
    </>
  );
}

function Retrying({ execution: { attempt, error, runAt } }: { execution: Execution }) {
  const ms = Date.parse(runAt) - useNow();
  return (
    <>
      Attempt {attempt} failed{error && `: ${error.message}`}. The next one{" "}
      {ms > 0 ? `starts ${relativeText(ms)}` : "is due"}.
    </>
  );
}

function Scheduled({ execution: { reason, runAt } }: { execution: Execution }) {
  const ms = Date.parse(runAt) - useNow();
  if (reason !== null) return `It ${reason.message}.`;
  return ms > 0 ? `Due ${relativeText(ms)}.` : "Due; it waits for a node or worker that is free.";
}

function Skipped({ execution: { count, scheduledAt, scheduledUntil, reason } }: { execution: Execution }) {
  const zone = useZone();
  if (count === 1 || scheduledUntil === null) return <>Skipped: {reason?.message ?? "no reason was given"}.</>;
  return (
    <>
      {numberText(count)} instants were skipped, from {shortText(new Date(scheduledAt), zone)} until{" "}
      {shortText(new Date(scheduledUntil), zone)}: {reason?.message ?? "no reason was given"}.
    </>
  );
}

/** What a handler says of how far it is. Anything else that a worker may have told stands with the data. */
function Progress({ progress }: { progress: Execution["progress"] }) {
  const said = readProgress(progress);
  if (said === null) return null;
  const percent = Math.round(said.fraction * 100);
  return (
    <div className="mt-1 flex max-w-md items-center gap-3">
      <progress
        aria-label="Progress"
        value={said.fraction}
        className="[&::-webkit-progress-bar]:bg-raised [&::-moz-progress-bar]:bg-run [&::-webkit-progress-value]:bg-run bg-raised h-1.5 grow overflow-hidden rounded-full [&::-webkit-progress-value]:transition-[width]"
      />
      <span className="text-muted text-xs whitespace-nowrap">
        {percent}%{said.message && `, ${said.message}`}
      </span>
    </div>
  );
}

/** The server's words, as a sentence. */
function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}${/[.!?)]$/.test(text) ? "" : "."}`;
}
