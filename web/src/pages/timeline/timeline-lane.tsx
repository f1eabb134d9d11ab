import { Link, useNavigate } from "@tanstack/react-router";
import { CirclePause } from "lucide-react";
import type { TimelineLane as Lane } from "punctual/client";
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef } from "react";
import { LANE_PX, type Mark, markAt, marksOf, pathsOf, type TimelineView } from "../../charts/timeline-marks.ts";
import type { Tick } from "../../charts/timeline-ticks.ts";
import { useScheduleWords } from "../../ui/schedule-words.ts";
import { useZone } from "../../ui/zone.ts";
import { MarkPath } from "./mark-looks.tsx";
import { markKey, markText } from "./mark-text.ts";

/** `held`: it was pressed or chosen with the keys, and stays until something else is. */
export type OnPoint = (jobId: string, mark: Mark | null, held: boolean) => void;

export const ROW_PX = 40;
const TOP_PX = (ROW_PX - LANE_PX) / 2;

interface LaneProps {
  lane: Lane;
  view: TimelineView;
  ticks: readonly Tick[];
  /** The key of the mark that is pointed at, if it is one of this lane. */
  pointed: string | null;
  onPoint: OnPoint;
}

/** A job and what it did and will do. */
export const TimelineLane = memo(function TimelineLane(props: LaneProps) {
  const { jobId, jobName, jobState, scheduleDescription, complete } = props.lane;
  const words = useScheduleWords(scheduleDescription);
  return (
    <div className="md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col justify-center pt-1.5 md:pt-0 md:pr-3">
        <div className="flex min-w-0 items-center gap-1.5">
          {jobState === "paused" && (
            <CirclePause role="img" aria-label="paused" className="text-warn size-3.5 shrink-0" />
          )}
          <Link
            to="/jobs/$job"
            params={{ job: jobId }}
            className="min-w-0 truncate leading-4 font-medium underline-offset-2 hover:underline"
          >
            {jobName}
          </Link>
        </div>
        <div className="text-muted text-2xs truncate" title={words}>
          {complete ? words : "has more runs than are shown: the oldest are left out"}
        </div>
      </div>
      <Track {...props} />
    </div>
  );
});

function Track({ lane, view, ticks, pointed, onPoint }: LaneProps) {
  const zone = useZone();
  const navigate = useNavigate();
  const marks = useMemo(() => marksOf(lane, view), [lane, view]);
  const current = pointed === null ? -1 : marks.findIndex((mark) => markKey(mark) === pointed);
  // Where the keys begin: at what happened last, or where they were before.
  const latest = Math.max(
    0,
    marks.findLastIndex(({ look }) => look !== "planned"),
  );
  const kept = useRef<number | null>(null);
  const at = current === -1 ? Math.min(kept.current ?? latest, marks.length - 1) : current;
  const choose = (index: number) => {
    kept.current = index;
    onPoint(lane.jobId, marks[index] ?? null, true);
  };
  const onKey = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: marks.length - 1 }[event.key];
    const { executionId } = marks[at]!;
    if (next !== undefined) choose(Math.max(0, Math.min(marks.length - 1, next)));
    else if (event.key !== "Enter") return;
    else if (executionId === null) void navigate({ to: "/jobs/$job", params: { job: lane.jobId } });
    else void navigate({ to: "/executions/$id", params: { id: executionId } });
    event.preventDefault();
  };
  const meant = (event: PointerEvent | React.MouseEvent) => {
    const index = markAt(marks, event.clientX - event.currentTarget.getBoundingClientRect().left);
    return index === null ? null : marks[index]!;
  };
  const picture = <LanePicture marks={marks} view={view} ticks={ticks} current={marks[current]} />;
  if (marks.length === 0) return <div className="min-w-0">{picture}</div>;
  return (
    <div
      // One stop for the keys, along which the arrows move: a hundred stops a lane would be a wall.
      role="slider"
      tabIndex={0}
      aria-label={`Runs of ${lane.jobName}`}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={marks.length - 1}
      aria-valuenow={at}
      aria-valuetext={markText(marks[at]!, zone)}
      className="min-w-0 focus-visible:outline-offset-[-2px]"
      onKeyDown={onKey}
      onFocus={(event) => event.currentTarget.matches(":focus-visible") && choose(at)}
      onPointerMove={(event) => event.pointerType === "mouse" && onPoint(lane.jobId, meant(event), false)}
      onPointerLeave={() => onPoint(lane.jobId, null, false)}
      onClick={(event) => onPoint(lane.jobId, meant(event), true)}
    >
      {picture}
    </div>
  );
}

function LanePicture({
  marks,
  view: { from, to, now, width },
  ticks,
  current,
}: Pick<LaneProps, "view" | "ticks"> & { marks: readonly Mark[]; current: Mark | undefined }) {
  const paths = useMemo(() => pathsOf(marks), [marks]);
  const nowX = ((now - from) / (to - from)) * width;
  const futureX = Math.max(0, nowX);
  return (
    <svg aria-hidden width={width} height={ROW_PX} className="block overflow-visible">
      {futureX < width && <rect x={futureX} width={width - futureX} height={ROW_PX} className="fill-raised/50" />}
      {ticks.map(({ at, x, isDay }) => (
        <path
          key={at}
          d={`M${Math.round(x) + 0.5} 0V${ROW_PX}`}
          className={isDay ? "stroke-line-strong" : "stroke-line"}
        />
      ))}
      <g transform={`translate(0 ${TOP_PX})`}>
        {paths.map(({ look, path }) => (
          <MarkPath key={look} look={look} path={path} />
        ))}
        {current && (
          <rect
            x={current.x - 2.5}
            y={0.5}
            width={current.width + 5}
            height={LANE_PX - 1}
            rx={2}
            className="stroke-ink fill-none"
          />
        )}
      </g>
      {nowX >= 0 && nowX <= width && <path d={`M${nowX} 0V${ROW_PX}`} className="stroke-accent [stroke-width:1.5]" />}
    </svg>
  );
}
