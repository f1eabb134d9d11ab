import { Clock } from "lucide-react";
import type { Execution } from "punctual/client";
import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/class-names.ts";
import { useNow } from "../ui/clock.ts";
import { durationText } from "../ui/duration.ts";
import { TONE_TEXT } from "../ui/state-badge.tsx";
import { outcomeLook } from "./attempt-outcome.ts";
import { AttemptTable } from "./attempt-table.tsx";
import { isIdle, type Piece, type PieceKind, type WaterfallRow, waterfallOf } from "./waterfall-layout.ts";
import { PIECE_LOOK, tookMs } from "./waterfall-pieces.ts";

const KINDS = Object.keys(PIECE_LOOK) as PieceKind[];

/** Where the time of an execution went, attempt by attempt. The same numbers stand behind it as a table. */
export function Waterfall({
  execution,
  chosen,
  onChoose,
}: {
  execution: Execution;
  /** The number of the attempt that is looked at. */
  chosen: number | undefined;
  onChoose: (attempt: number) => void;
}) {
  const now = useNow();
  const [asTable, setAsTable] = useState(false);
  const { rows, squeezed } = waterfallOf(execution, now);
  const kinds = KINDS.filter((kind) => rows.some(({ pieces }) => pieces.some((piece) => piece.kind === kind)));
  return (
    <figure className="flex min-w-0 flex-col gap-3" aria-label="Attempts over time">
      {asTable ? (
        <AttemptTable attempts={execution.attempts ?? []} now={now} />
      ) : (
        <ol className="-mx-2 flex max-h-96 flex-col overflow-y-auto">
          {rows.map((row) => (
            <li key={row.attempt?.number ?? "next"}>
              <Row row={row} now={now} isChosen={row.attempt?.number === chosen} onChoose={onChoose} />
            </li>
          ))}
        </ol>
      )}
      <figcaption className="flex items-start justify-between gap-4">
        <ul className="text-muted flex min-w-0 flex-wrap gap-x-4 gap-y-1 pt-1 text-xs">
          {kinds.map((kind) => (
            <li key={kind} className="flex items-center gap-1.5">
              <svg aria-hidden width="14" height="10">
                <Bar kind={kind} x={0} width={14} height={10} />
              </svg>
              {PIECE_LOOK[kind].label}
            </li>
          ))}
          {squeezed && <li>Waits are drawn shorter than they were.</li>}
        </ul>
        <Button
          look="quiet"
          size="small"
          className="shrink-0"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "As a picture" : "As a table"}
        </Button>
      </figcaption>
    </figure>
  );
}

const ROW =
  "grid w-full grid-cols-[6.5rem_minmax(0,1fr)_4rem] sm:grid-cols-[8rem_minmax(0,1fr)_4.5rem] items-center gap-3 rounded-md px-2 py-1 text-left";

function Row({
  row: { attempt, pieces },
  now,
  isChosen,
  onChoose,
}: {
  row: WaterfallRow;
  now: number;
  isChosen: boolean;
  onChoose: (attempt: number) => void;
}) {
  if (attempt === null)
    return (
      <div className={ROW}>
        <span className="text-muted flex items-center gap-1.5 text-xs">
          <Clock aria-hidden className="size-3.5" />
          Next attempt
        </span>
        <Pieces pieces={pieces} />
        <span />
      </div>
    );
  const { icon: Icon, tone, text } = outcomeLook(attempt);
  const took = durationText(tookMs(attempt, now));
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => onChoose(attempt.number)}
      className={cx(ROW, isChosen ? "bg-raised" : "hover:bg-raised/60")}
    >
      <span className="flex min-w-0 items-center gap-1.5 text-xs">
        <Icon
          aria-hidden
          strokeWidth={2.25}
          className={cx("size-3.5 shrink-0", TONE_TEXT[tone], attempt.outcome === null && "animate-spin")}
        />
        <span className="font-medium">
          <span className="sr-only">Attempt </span>
          {attempt.number}
        </span>
        <span className={cx("truncate", TONE_TEXT[tone])}>
          {text}
          {attempt.response && <span className="hidden sm:inline"> {attempt.response.status}</span>}
        </span>
      </span>
      <Pieces pieces={pieces} />
      <span className="text-right text-xs whitespace-nowrap">{took}</span>
    </button>
  );
}

const HEIGHT = 22;
/** So that what took no time at all can still be seen. */
const WIDTH_MIN = 2;
const LABEL_PX = 84;

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  const place = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const svg = place.current!;
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    setWidth(svg.clientWidth);
    observer.observe(svg);
    return () => observer.disconnect();
  }, []);
  return (
    <svg ref={place} aria-hidden className="w-full" height={HEIGHT}>
      {width > 0 &&
        pieces.map(({ kind, ms, x, width: part }) => {
          const wide = Math.max(WIDTH_MIN, part * width);
          const left = Math.min(x * width, width - WIDTH_MIN);
          return (
            <g key={kind}>
              <Bar kind={kind} x={left} width={wide} height={HEIGHT} />
              {isIdle(kind) && wide > LABEL_PX && (
                <text x={left + wide / 2} y="9" textAnchor="middle" className="fill-muted text-2xs">
                  {kind} {durationText(ms)}
                </text>
              )}
              <title>{`${PIECE_LOOK[kind].label}: ${durationText(ms)}`}</title>
            </g>
          );
        })}
    </svg>
  );
}

/** Work is a bar, waiting a dashed line: told apart without colour. */
function Bar({ kind, x, width, height }: { kind: PieceKind; x: number; width: number; height: number }) {
  const { colour } = PIECE_LOOK[kind];
  if (!isIdle(kind))
    return (
      <rect x={x} y={height * 0.15} width={width} height={height * 0.7} rx={Math.min(2, width / 2)} fill={colour} />
    );
  const y = height * 0.65;
  return <line x1={x} x2={x + width} y1={y} y2={y} stroke={colour} strokeWidth="2" strokeDasharray="3 3" />;
}
