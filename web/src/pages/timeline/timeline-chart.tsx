import { useWindowVirtualizer } from "@tanstack/react-virtual";
import type { TimelineLane as Lane } from "punctual/client";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useShortcuts } from "../../app/shortcuts.tsx";
import type { TimelineView } from "../../charts/timeline-marks.ts";
import { type Tick, ticksOf } from "../../charts/timeline-ticks.ts";
import { cx } from "../../ui/class-names.ts";
import { useZone } from "../../ui/zone.ts";
import { ROW_PX, TimelineLane } from "./timeline-lane.tsx";
import { Popover } from "./timeline-popover.tsx";
import { usePointed } from "./use-pointed.ts";

type Times = Omit<TimelineView, "width">;

const OVERSCAN = 8;

/** Lanes of jobs below a common axis. Only those in sight are drawn. */
export function TimelineChart({ lanes, times, onEnd }: { lanes: readonly Lane[]; times: Times; onEnd: () => void }) {
  const zone = useZone();
  const chart = useRef<HTMLElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const width = useWidth(axis);
  const { from, to, now } = times;
  const view = useMemo((): TimelineView => ({ from, to, now, width }), [from, to, now, width]);
  const ticks = useMemo(() => ticksOf({ from, to, width }, zone), [from, to, width, zone]);
  const { pointed, point, stay, leave, release } = usePointed(chart);
  const top = useTop(body);
  const virtual = useWindowVirtualizer({
    count: lanes.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => lanes[index]!.jobId,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= lanes.length - OVERSCAN) onEnd();
  }, [last, lanes.length, onEnd]);
  useLaneKeys(body, (index) => virtual.scrollToIndex(index, { align: "auto" }), lanes.length);
  const pointedItem = items.find(({ key }) => key === pointed?.jobId);
  return (
    <section ref={chart} aria-label="Timeline" className="relative">
      <div className="bg-surface border-line sticky top-12 z-20 border-b md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
        <div className="hidden md:block" />
        <Axis ref={axis} view={view} ticks={ticks} />
      </div>
      <ul ref={body} className="relative" style={{ height: virtual.getTotalSize() }}>
        {width > 0 &&
          items.map(({ index, key, start }) => {
            const lane = lanes[index]!;
            return (
              <li
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className="border-line absolute top-0 left-0 w-full border-b"
                style={{ transform: `translateY(${start - top}px)` }}
                onBlur={(event) => !chart.current?.contains(event.relatedTarget) && release()}
              >
                <TimelineLane
                  lane={lane}
                  view={view}
                  ticks={ticks}
                  pointed={pointed?.jobId === lane.jobId ? pointed.mark : null}
                  onPoint={point}
                />
              </li>
            );
          })}
        {pointed !== null && pointedItem !== undefined && (
          <Popover
            lane={lanes[pointedItem.index]!}
            view={view}
            pointed={pointed}
            row={{ top: pointedItem.start - top, bottom: pointedItem.end - top }}
            offset={axis.current?.offsetLeft ?? 0}
            onEnter={stay}
            onLeave={leave}
          />
        )}
      </ul>
    </section>
  );
}

/** So near to "now" there is no room for another label. */
const NOW_PX = 36;
/** And so near to the edge it would be cut. */
const EDGE_PX = 16;

function Axis({
  ref,
  view,
  ticks,
}: {
  ref: RefObject<HTMLDivElement | null>;
  view: TimelineView;
  ticks: readonly Tick[];
}) {
  const { from, to, now, width } = view;
  const nowX = ((now - from) / (to - from)) * width;
  const shown = ticks.filter(({ x }) => x > EDGE_PX && x < width - EDGE_PX && Math.abs(x - nowX) > NOW_PX);
  return (
    <div ref={ref} aria-hidden className="text-2xs text-muted relative h-7 min-w-0 overflow-hidden">
      {shown.map(({ at, x, label, isDay }) => (
        <span
          key={at}
          className={cx("absolute bottom-1 -translate-x-1/2 whitespace-nowrap", isDay && "text-ink font-semibold")}
          style={{ left: x }}
        >
          {label}
        </span>
      ))}
      {nowX > 0 && nowX < width && (
        <span
          className="bg-accent text-on-accent absolute bottom-0.5 -translate-x-1/2 rounded px-1 font-medium"
          style={{ left: nowX }}
        >
          now
        </span>
      )}
    </div>
  );
}

/** j and k go from lane to lane. */
function useLaneKeys(body: RefObject<HTMLElement | null>, show: (index: number) => void, count: number): void {
  const move = (by: 1 | -1) => {
    const row = document.activeElement?.closest<HTMLElement>("[data-index]");
    const current = row && body.current?.contains(row) ? Number(row.dataset.index) : -1;
    const next = Math.max(0, Math.min(count - 1, current + by));
    show(next);
    // The lane may have to be drawn first.
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus({ preventScroll: true }),
    );
  };
  useShortcuts([
    { key: "j", about: "Next job", act: () => move(1) },
    { key: "k", about: "Job before", act: () => move(-1) },
  ]);
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** How far down the page it begins; what stands above may change its height at any time. */
function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (element.current !== null) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY));
  });
  return top;
}
