import { LANE_PX, MARK_LOOKS, type MarkLook, shapeOf } from "../../charts/timeline-marks.ts";

/** Colours; the shapes say the same without them. */
const LOOK_CLASS: Record<MarkLook, string> = {
  planned: "fill-surface stroke-idle",
  paused: "fill-none stroke-idle [stroke-dasharray:2_3] [stroke-width:4]",
  skipped: "fill-none stroke-warn [stroke-width:2]",
  cancelled: "fill-idle",
  succeeded: "fill-ok",
  waiting: "fill-none stroke-warn [stroke-dasharray:2_2]",
  running: "fill-run/25 stroke-run",
  retrying: "fill-warn/20 stroke-warn [stroke-dasharray:4_2]",
  overlapped: "fill-warn",
  unknown: "fill-odd/25 stroke-odd [stroke-dasharray:3_2]",
  missed: "stroke-warn",
  failed: "fill-bad",
};

const HATCH = "timeline-hatch";

/** All marks of one look on a lane. */
export function MarkPath({ look, path }: { look: MarkLook; path: string }) {
  return (
    <path
      d={path}
      className={LOOK_CLASS[look]}
      fill={look === "missed" ? `url(#${HATCH})` : undefined}
      vectorEffect="non-scaling-stroke"
    />
  );
}

/** What the hatched marks are filled with; once on a page. */
export function HatchPattern() {
  return (
    <svg aria-hidden className="absolute size-0">
      <defs>
        <pattern id={HATCH} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" className="fill-surface" />
          <rect width="2" height="5" className="fill-warn" />
        </pattern>
      </defs>
    </svg>
  );
}

const ICON = { x: 6, width: 14 };
const ICON_WIDTH = 26;

/** A mark beside its word. */
export function MarkIcon({ look }: { look: MarkLook }) {
  return (
    <svg aria-hidden width="15" height="18" viewBox={`0 0 ${ICON_WIDTH} ${LANE_PX}`} className="shrink-0">
      <MarkPath look={look} path={shapeOf(look, ICON)} />
    </svg>
  );
}

const LOOK_ABOUT: Record<MarkLook, string> = {
  planned: "still to come",
  paused: "skipped because the job was paused",
  skipped: "skipped for another reason",
  cancelled: "somebody or a rule ended it",
  succeeded: "it ran, and all was well",
  waiting: "due, and not started yet",
  running: "it runs now",
  retrying: "it failed, and is tried again",
  overlapped: "skipped because the run before had not ended",
  unknown: "nobody can say how it ended",
  missed: "nobody could start it in time",
  failed: "it ran, and failed for good",
};

export function Legend() {
  return (
    <ul aria-label="What the marks mean" className="text-muted flex flex-wrap gap-x-3.5 gap-y-1 text-xs">
      {MARK_LOOKS.toReversed().map((look) => (
        <li key={look} className="flex items-center gap-1" title={LOOK_ABOUT[look]}>
          <MarkIcon look={look} />
          {look}
        </li>
      ))}
    </ul>
  );
}
