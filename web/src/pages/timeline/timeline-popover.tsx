import { Link } from "@tanstack/react-router";
import type { TimelineLane } from "punctual/client";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Mark, marksOf, type TimelineView } from "../../charts/timeline-marks.ts";
import { Duration, FullTime } from "../../ui/time.tsx";
import { EXECUTION_TABS } from "../executions/search.ts";
import { MarkIcon } from "./mark-looks.tsx";
import { countText, markKey, reasonText } from "./mark-text.ts";
import type { Pointed } from "./use-pointed.ts";

const WIDTH_PX = 288;
/** About as high as it gets. */
const HEIGHT_PX = 180;

/** Below the lane of its mark, or above it where the window ends. */
export function Popover({
  lane,
  view,
  pointed,
  row,
  offset,
  onEnter,
  onLeave,
}: {
  lane: TimelineLane;
  view: TimelineView;
  pointed: Pointed;
  row: { top: number; bottom: number };
  /** How far from the left the lanes begin: the names stand before them, or above. */
  offset: number;
  onEnter: () => void;
  onLeave: () => void;
}) {
  const place = useRef<HTMLLIElement>(null);
  const [above, setAbove] = useState(false);
  const mark = useMemo(
    () => marksOf(lane, view).find((each) => markKey(each) === pointed.mark),
    [lane, view, pointed.mark],
  );
  useLayoutEffect(() => {
    const listTop = place.current?.parentElement?.getBoundingClientRect().top ?? 0;
    setAbove(listTop + row.bottom + HEIGHT_PX > innerHeight && listTop + row.top > HEIGHT_PX + 80);
  }, [row.top, row.bottom]);
  if (mark === undefined) return null;
  const middle = offset + mark.x + mark.width / 2;
  const left = Math.max(0, Math.min(offset + view.width - WIDTH_PX, middle - WIDTH_PX / 2));
  return (
    <li
      ref={place}
      className="bg-surface border-line absolute z-10 rounded-md border p-3 shadow-xl"
      style={{
        left,
        width: WIDTH_PX,
        top: above ? row.top : row.bottom,
        ...(above ? { transform: "translateY(-100%)" } : {}),
      }}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      <PointedMark lane={lane} mark={mark} />
    </li>
  );
}

/** What the mark stands for. */
function PointedMark({ lane, mark }: { lane: TimelineLane; mark: Mark }) {
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
/** A mark has when things began, the list goes by when they were due: a little before, as nothing begins early. */
const BEFORE_MS = 60_000;
const AFTER_MS = 1_000;

function MarkLinks({ lane, mark, executionId }: { lane: TimelineLane; mark: Mark; executionId: string }) {
  const state = EXECUTION_TABS.find((each) => each === mark.look);
  const from = new Date(mark.from - BEFORE_MS).toISOString();
  const to = new Date((mark.to ?? mark.from) + AFTER_MS).toISOString();
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
