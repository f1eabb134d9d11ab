// The last runs of a job on the width of a thumb. Height is how long a run took. The result is told by colour and by shape: what
// succeeded is a plain bar, what failed has a cross below it, what is in doubt a ring; what never ran is hollow, and what goes
// on breathes.

import { useNavigate } from "@tanstack/react-router";
import { type MouseEvent, memo } from "react";
import { durationText } from "../ui/duration.ts";
import { absoluteText, useZone } from "../ui/zone.ts";
import { barHeights, SLOTS, type StripRun, stateWords, stripSentence } from "./run-strip-layout.ts";

const SLOT = 6;
const BAR = 4;
const BARS_HEIGHT = 20;
const MARKS_HEIGHT = 6;
const HEIGHT = BARS_HEIGHT + 2 + MARKS_HEIGHT;

/** `runs` as the server tells them, oldest first. A press on a bar opens the execution; the page of the job lists them too. */
export const RunStrip = memo(function RunStrip({ runs }: { runs: readonly StripRun[] }) {
  const zone = useZone();
  const navigate = useNavigate();
  const shown = runs.slice(-SLOTS);
  const heights = barHeights(shown);
  const empty = SLOTS - shown.length;
  const open = ({ target }: MouseEvent<SVGSVGElement>) => {
    const id = (target as Element).closest<SVGElement>("[data-execution]")?.dataset.execution;
    if (id !== undefined) void navigate({ to: "/executions/$id", params: { id } });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: twenty stops in every row of a list would bury it; the job's page has them as links
    <svg
      role="img"
      aria-label={stripSentence(shown)}
      width={SLOTS * SLOT}
      height={HEIGHT}
      viewBox={`0 0 ${SLOTS * SLOT} ${HEIGHT}`}
      className="block h-auto max-w-full"
      onClick={open}
    >
      {Array.from({ length: empty }, (_, index) => index).map((index) => (
        <rect
          key={index}
          x={index * SLOT + 1}
          y={BARS_HEIGHT - 2}
          width={BAR}
          height={2}
          rx={1}
          className="fill-line"
        />
      ))}
      {shown.map((run, index) => (
        <g
          key={run.executionId}
          data-execution={run.executionId}
          transform={`translate(${(empty + index) * SLOT + 1} 0)`}
          className="cursor-pointer"
        >
          <title>{runText(run, zone)}</title>
          {/* The whole slot can be hit, however low its bar is. */}
          <rect x={-1} width={SLOT} height={HEIGHT} className="hover:fill-raised fill-transparent" />
          <Bar run={run} height={Math.round(heights[index]! * BARS_HEIGHT)} />
        </g>
      ))}
    </svg>
  );
});

function Bar({ run: { state }, height }: { run: StripRun; height: number }) {
  const top = BARS_HEIGHT - height;
  const solid = { y: top, width: BAR, height, rx: 1 };
  // A line is drawn half inside and half outside: the hollow ones are as large as the others.
  const hollow = { x: 0.5, y: top + 0.5, width: BAR - 1, height: height - 1, rx: 1, className: "fill-none" };
  switch (state) {
    case "succeeded":
      return <rect {...solid} className="fill-ok" />;
    case "failed":
      return (
        <g className="fill-bad stroke-bad">
          <rect {...solid} stroke="none" />
          <path d={CROSS} strokeWidth={1.5} strokeLinecap="round" />
        </g>
      );
    case "unknown":
      return (
        <g className="fill-odd stroke-odd">
          <rect {...solid} stroke="none" />
          <circle cx={BAR / 2} cy={MARK_AT} r={1.75} strokeWidth={1.25} className="fill-none" />
        </g>
      );
    case "skipped":
      return <rect {...hollow} className="stroke-warn fill-none" />;
    case "running":
      return <rect {...solid} y={4} height={BARS_HEIGHT - 4} className="fill-run breathing" />;
    case "retrying":
      return (
        <g className="breathing">
          <rect {...hollow} y={4.5} height={BARS_HEIGHT - 5} className="stroke-warn fill-none" />
          <rect y={BARS_HEIGHT - 8} width={BAR} height={8} rx={1} className="fill-warn" />
        </g>
      );
    case "cancelled":
      return (
        <g className="stroke-idle">
          <rect {...hollow} />
          <path d={`M0 ${MARK_AT}h${BAR}`} strokeWidth={1.5} />
        </g>
      );
    default:
      return <rect {...hollow} strokeDasharray="1.5 1.5" className="stroke-idle fill-none" />;
  }
}

const MARK_AT = HEIGHT - MARKS_HEIGHT / 2;
const CROSS = `M0.25 ${MARK_AT - 1.75}l3.5 3.5m0 -3.5l-3.5 3.5`;

function runText({ state, scheduledAt, durationMs, attempt, count }: StripRun, zone: string): string {
  const times = count > 1 ? ` ${count} times` : "";
  const took = durationMs === null ? "" : ` in ${durationText(durationMs)}`;
  const attempts = attempt > 1 ? `, attempt ${attempt}` : "";
  return `${stateWords(state)}${times}${took}${attempts}\n${absoluteText(new Date(scheduledAt), zone)}`;
}
