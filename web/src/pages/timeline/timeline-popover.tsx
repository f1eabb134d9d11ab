import { Link } from "@tanstack/react-router";
import type { TimelineLane } from "punctual/client";
import type { Mark } from "../../charts/timeline-marks.ts";
import { Duration, FullTime } from "../../ui/time.tsx";
import { EXECUTION_TABS } from "../executions/search.ts";
import { MarkIcon } from "./mark-looks.tsx";
import { countText, reasonText } from "./mark-text.ts";

export const POPOVER_PX = 288;

/** What the mark that is pointed at stands for. */
export function PointedMark({ lane, mark }: { lane: TimelineLane; mark: Mark }) {
  const reason = reasonText(mark.reason);
  return (
    <div className="flex flex-col gap-1.5 text-xs">
      <div className="flex items-center gap-1.5">
        <MarkIcon look={mark.look} />
        <span className="text-sm font-semibold">{mark.look}</span>
        <span className="text-muted ml-auto whitespace-nowrap">{countText(mark)}</span>
      </div>
      <div className="truncate font-medium">{lane.jobName}</div>
      <div>
        {mark.to === null && "since "}
        <FullTime at={new Date(mark.from)} />
      </div>
      {mark.to !== null && mark.to > mark.from && (
        <div className="text-muted">
          {mark.count === 1 ? "it took " : "over "}
          <Duration ms={mark.to - mark.from} />
        </div>
      )}
      {reason !== null && <div className="[overflow-wrap:anywhere]">{reason}</div>}
      {mark.executionId !== null && <MarkLinks lane={lane} mark={mark} executionId={mark.executionId} />}
    </div>
  );
}

const LINK = "text-accent underline-offset-2 hover:underline";
/** What began within one step of the timeline is one mark; the list is asked for a little more than that. */
const AROUND_MS = 1_000;

function MarkLinks({ lane, mark, executionId }: { lane: TimelineLane; mark: Mark; executionId: string }) {
  const state = EXECUTION_TABS.find((each) => each === mark.look);
  const from = new Date(mark.from - AROUND_MS).toISOString();
  const to = new Date((mark.to ?? mark.from) + AROUND_MS).toISOString();
  return (
    <div className="flex gap-3">
      <Link to="/executions/$id" params={{ id: executionId }} className={LINK}>
        {mark.count === 1 ? "Open the execution" : "Open the newest"}
      </Link>
      {mark.count > 1 && (
        <Link to="/executions" search={{ job: lane.jobName, from, to, ...(state ? { state } : {}) }} className={LINK}>
          List them
        </Link>
      )}
    </div>
  );
}
