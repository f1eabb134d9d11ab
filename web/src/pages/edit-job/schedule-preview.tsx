import type { SchedulePreview } from "punctual/client";
import { useEffect, useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { useNow } from "../../ui/clock.ts";
import { errorText, Loading, Notice } from "../../ui/notice.tsx";
import { relativeText } from "../../ui/time.tsx";
import { localParts } from "../../ui/wall-time.ts";
import { type Asked, useAsked } from "./asked.ts";
import { isMidnight } from "./cron-plan.ts";
import { type JobDraft, valueAt } from "./job-draft.ts";
import { problemsOf } from "./problems.ts";

const WAIT_MS = 250;
const COUNT = 10;
const CROWDED =
  "At midnight sharp very many jobs fire everywhere, and those they call are busy. A few minutes later is as good for most.";

/** The coming instants of the schedule in the draft, as the server will plan them; asked again once the first has passed. */
export function useSchedulePreview(draft: JobDraft): Asked<SchedulePreview> {
  const client = useClient();
  const schedule = (draft.schedule ?? null) as never;
  const [round, setRound] = useState(0);
  const asked = useAsked(
    `${round} ${JSON.stringify(schedule)}`,
    (signal) => client.schedules.preview({ schedule, count: COUNT }, { signal }),
    WAIT_MS,
  );
  const next = asked.answer?.instants[0]?.at;
  useEffect(() => {
    if (next === undefined) return;
    // A timer holds no more than 24 days.
    const wait = Math.min(Math.max(1_000, new Date(next).getTime() - Date.now() + 500), 86_400_000);
    const timer = setTimeout(() => setRound((before) => before + 1), wait);
    return () => clearTimeout(timer);
  }, [next]);
  return asked;
}

export function SchedulePreviewCard({ draft, preview }: { draft: JobDraft; preview: Asked<SchedulePreview> }) {
  const { answer, error, current } = preview;
  const cron = valueAt(draft, "schedule.cron");
  const crowded = typeof cron === "string" && isMidnight(cron);
  return (
    <Card title="Next runs">
      <div aria-busy={!current}>
        {answer === null && error === null && <Loading rows={6} />}
        {error !== null && <p className="text-muted mb-2">{whyNot(error, answer !== null)}</p>}
        {answer !== null && (
          <div className={cx("flex flex-col gap-3", (!current || error !== null) && "[&_*]:!text-muted")}>
            {/* Only the sentence is read aloud when it changes: what is below changes every second. */}
            <p aria-live="polite" className="font-medium">
              {sentence(draft, answer)}
            </p>
            {[...answer.notes, ...(crowded && error === null ? [CROWDED] : [])].map((note) => (
              <Notice key={note} tone="warn">
                {note}
              </Notice>
            ))}
            <Instants instants={answer.instants} />
          </div>
        )}
      </div>
    </Card>
  );
}

function whyNot(error: unknown, hasOlder: boolean): string {
  const older = hasOlder ? " These are of what stood there before." : "";
  return problemsOf(error).length === 0 ? `${errorText(error)}${older}` : `What is written now is refused.${older}`;
}

/** Of a single instant the day says more than the server's sentence, which has it as a program writes it. */
function sentence(draft: JobDraft, { description, instants }: SchedulePreview): string {
  const [only] = instants;
  if (only === undefined || valueAt(draft, "schedule.at") === undefined) return description;
  const { day, clock, offset } = localParts(only.local);
  return `Once, on ${day} at ${clock}, ${offset}`;
}

function Instants({ instants }: { instants: SchedulePreview["instants"] }) {
  const now = useNow();
  if (instants.length === 0) return <p className="text-muted">Nothing is planned.</p>;
  const offsets = new Set(instants.map(({ local }) => localParts(local).offset));
  return (
    <table className="w-full text-left">
      <caption className="sr-only">The next runs</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Time</th>
          <th scope="col">From now</th>
        </tr>
      </thead>
      <tbody>
        {instants.map(({ at, local, note }) => {
          const { day, clock, offset } = localParts(local);
          return (
            <tr key={at} className="border-line border-b last:border-b-0">
              <td className="py-1.5 pr-2 whitespace-nowrap">
                {day}
                {note !== null && <div className="text-warn text-xs whitespace-normal">{note}</div>}
              </td>
              <td className="py-1.5 pr-2 align-top whitespace-nowrap">
                <time dateTime={at} className="font-medium">
                  {clock}
                </time>
                {/* The same for all it is said below, once. */}
                {offsets.size > 1 && <span className="text-muted text-xs"> {offset}</span>}
              </td>
              <td className="text-muted py-1.5 text-right align-top whitespace-nowrap">
                {relativeText(new Date(at).getTime() - now)}
              </td>
            </tr>
          );
        })}
      </tbody>
      {offsets.size === 1 && instants.length > 1 && (
        <tfoot>
          <tr>
            <td colSpan={3} className="text-muted pt-2 text-xs">
              Clocks at {[...offsets][0]}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}
