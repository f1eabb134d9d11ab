// The last runs of a job on the width of a thumb. Height is how long a run took. The result is told by colour and by shape: what
// succeeded is a plain bar, with a dot below it if that took more than one attempt; what failed has a cross, what is in doubt a
// ring; what never ran is hollow; what runs is a bar in pieces, and breathes.
//
// A list shows dozens of strips and scrolls through thousands: all bars of one kind are one path, and what says which run it is
// is there only under the pointer.

import { useNavigate } from "@tanstack/react-router";
import { type MouseEvent, memo, useState } from "react";
import { durationText } from "../ui/duration.ts";
import { absoluteText, useZone } from "../ui/zone.ts";
import { SLOTS, type StripRun, stateWords, stripSentence } from "./run-strip-layout.ts";
import { BAR_WIDTH, emptySlots, type Ink, inksOf, SLOT_WIDTH, STRIP_HEIGHT } from "./run-strip-shapes.ts";

const WIDTH = SLOTS * SLOT_WIDTH;

const LOOK: Record<Ink["kind"], string> = {
  succeeded: "stroke-ok",
  failed: "stroke-bad",
  unknown: "stroke-odd",
  skipped: "stroke-warn",
  retried: "stroke-warn",
  running: "stroke-run breathing",
  retrying: "stroke-warn breathing",
  cancelled: "stroke-idle",
  scheduled: "stroke-idle",
};

/** `runs` as the server tells them, oldest first. A press on a bar opens the execution; the page of the job lists them too. */
export const RunStrip = memo(function RunStrip({ runs }: { runs: readonly StripRun[] }) {
  const navigate = useNavigate();
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const shown = runs.slice(-SLOTS);
  const empty = SLOTS - shown.length;
  const run = pointedAt === null ? undefined : shown[pointedAt - empty];
  const open = (event: MouseEvent<SVGSVGElement>) => {
    const pressed = shown[slotAt(event) - empty];
    if (pressed) void navigate({ to: "/executions/$id", params: { id: pressed.executionId } });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: twenty stops in every row of a list would bury it; the job's page has them as links
    <svg
      role="img"
      aria-label={stripSentence(shown)}
      width={WIDTH}
      height={STRIP_HEIGHT}
      viewBox={`0 0 ${WIDTH} ${STRIP_HEIGHT}`}
      className={run ? "block h-auto max-w-full cursor-pointer" : "block h-auto max-w-full"}
      onClick={open}
      onMouseMove={(event) => setPointedAt(slotAt(event))}
      onMouseLeave={() => setPointedAt(null)}
    >
      {/* The whole strip can be pointed at, not only its lines. */}
      <rect width={WIDTH} height={STRIP_HEIGHT} className="fill-transparent" />
      {empty > 0 && <path d={emptySlots(empty)} strokeWidth={2} className="stroke-line" />}
      {inksOf(shown, empty).map(({ kind, solid, thin }) => (
        <g key={kind} className={LOOK[kind]}>
          {solid !== "" && <path d={solid} strokeWidth={BAR_WIDTH} />}
          {thin !== "" && (
            <path d={thin} strokeWidth={kind === "retried" ? 2.5 : 1.25} strokeLinecap="round" className="fill-none" />
          )}
        </g>
      ))}
      {run && <Pointed run={run} x={(pointedAt ?? 0) * SLOT_WIDTH} />}
    </svg>
  );
});

function slotAt({ currentTarget, clientX }: MouseEvent<SVGSVGElement>): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(SLOTS - 1, Math.floor(((clientX - left) / width) * SLOTS)));
}

function Pointed({ run: { state, scheduledAt, durationMs, attempt, count }, x }: { run: StripRun; x: number }) {
  const zone = useZone();
  const times = count > 1 ? ` ${count} times` : "";
  const took = durationMs === null ? "" : ` in ${durationText(durationMs)}`;
  const attempts = attempt > 1 ? `, attempt ${attempt}` : "";
  return (
    <rect x={x} width={SLOT_WIDTH} height={STRIP_HEIGHT} rx={1} className="fill-ink/15">
      <title>{`${stateWords(state)}${times}${took}${attempts}\n${absoluteText(new Date(scheduledAt), zone)}`}</title>
    </rect>
  );
}
