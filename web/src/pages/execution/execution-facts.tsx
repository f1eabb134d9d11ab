import type { Execution } from "punctual/client";
import type { ReactNode } from "react";
import { Card, Facts } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Duration, FullTime } from "../../ui/time.tsx";
import { progressText } from "../executions/why.ts";

export function ExecutionFacts({ execution }: { execution: Execution }) {
  return (
    <Card title="Facts">
      <Facts items={factsOf(execution)} />
    </Card>
  );
}

const TRIGGER_TEXT: Record<Execution["trigger"], string> = {
  schedule: "the schedule",
  manual: "a trigger",
  retry: "running it again",
};

function factsOf(execution: Execution): [string, ReactNode][] {
  const { id, scheduledAt, startedAt, finishedAt, latenessMs, durationMs, attempt, trigger } = execution;
  const { triggeredBy, jobVersion, priority, key, scheduledUntil, count, progress } = execution;
  const facts: [string, ReactNode][] = [
    [scheduledUntil === null ? "Instant" : "First instant", <FullTime key="instant" at={scheduledAt} />],
  ];
  if (scheduledUntil !== null)
    facts.push(["Last instant", <FullTime key="until" at={scheduledUntil} />], ["Instants", count]);
  if (startedAt !== null) facts.push(["Started", <FullTime key="started" at={startedAt} />]);
  if (latenessMs !== null) facts.push(["Late by", <Duration key="late" ms={latenessMs} />]);
  if (finishedAt !== null) facts.push(["Ended", <FullTime key="ended" at={finishedAt} />]);
  if (durationMs !== null) facts.push(["Took", <Duration key="took" ms={durationMs} />]);
  const got = progressText(progress);
  if (got !== null) facts.push(["Progress", got]);
  facts.push(["Attempts", attempt]);
  facts.push(["Made by", `${TRIGGER_TEXT[trigger] ?? trigger}${triggeredBy === null ? "" : `, ${triggeredBy}`}`]);
  facts.push(["Version", jobVersion], ["Priority", priority]);
  if (key !== null) facts.push(["Key", key]);
  facts.push([
    "Id",
    <span key="id" className="flex items-start gap-1">
      <span className="pt-0.5 font-mono text-xs [overflow-wrap:anywhere]">{id}</span>
      <CopyButton text={id} label="Copy the id" />
    </span>,
  ]);
  return facts;
}
