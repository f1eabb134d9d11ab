// Where on a lane each thing stands, and in which look. Everything of one look on a lane is one path: a lane of a thousand
// marks is then a dozen elements, and which mark is meant by the pointer is found among the numbers, not in the document.

import type { TimelineLane, TimelineSpan } from "punctual/client";

/** In the order in which they are painted: what must not be overlooked comes last, on top of the others. */
export const MARK_LOOKS = [
  "planned",
  "paused",
  "skipped",
  "cancelled",
  "succeeded",
  "waiting",
  "running",
  "retrying",
  "overlapped",
  "unknown",
  "missed",
  "failed",
] as const;
export type MarkLook = (typeof MARK_LOOKS)[number];

/** What happened, or will, and where it is drawn. */
export interface Mark {
  look: MarkLook;
  x: number;
  width: number;
  from: number;
  /** Null: it goes on. */
  to: number | null;
  count: number;
  reason: string | null;
  /** Null: it is yet to come. */
  executionId: string | null;
}

/** The stretch of time that is shown, in milliseconds, and how wide it is. */
export interface TimelineView {
  from: number;
  to: number;
  now: number;
  width: number;
}

const WIDTH_MIN_PX = 3;
/** So near a mark it is meant. */
const NEAR_PX = 6;

/** The marks of a lane, from left to right. */
export function marksOf(lane: Pick<TimelineLane, "spans" | "planned">, view: TimelineView): Mark[] {
  const past = lane.spans.map((span) => ({
    look: lookOf(span),
    from: Date.parse(span.from),
    to: span.to === null ? null : Date.parse(span.to),
    count: span.count,
    reason: span.reason,
    executionId: span.executionId,
  }));
  const coming = lane.planned.map(({ from, to, count }) => ({
    look: "planned" as const,
    from: Date.parse(from),
    to: Date.parse(to),
    count,
    reason: null,
    executionId: null,
  }));
  return [...past, ...coming].flatMap((each) => {
    const place = placeOf(each, view);
    return place === null ? [] : [{ ...each, ...place }];
  });
}

export function lookOf({ state, reason }: Pick<TimelineSpan, "state" | "reason">): MarkLook {
  if (state === "scheduled") return "waiting";
  if (state !== "skipped") return state;
  if (reason === "misfire") return "missed";
  if (reason === "overlap") return "overlapped";
  return reason === "paused" ? "paused" : "skipped";
}

/** Null if it lies outside of what is shown. */
function placeOf({ from, to }: { from: number; to: number | null }, view: TimelineView) {
  const end = to ?? Math.max(from, view.now);
  if (end < view.from || from >= view.to) return null;
  const scale = view.width / (view.to - view.from);
  const left = Math.max(0, (from - view.from) * scale);
  const right = Math.min(view.width, (end - view.from) * scale);
  const width = Math.max(WIDTH_MIN_PX, right - left);
  return { x: Math.min(left, view.width - width), width };
}

/** Which mark is meant by a pointer at `x`: the nearest; of several that are as near, the one that is painted on top. */
export function markAt(marks: readonly Mark[], x: number): number | null {
  let found: number | null = null;
  let nearest = NEAR_PX;
  for (const [index, mark] of marks.entries()) {
    const distance = Math.max(0, mark.x - x, x - (mark.x + mark.width));
    const isBetter =
      distance < nearest || (distance === nearest && isAbove(mark, found === null ? null : marks[found]!));
    if (!isBetter) continue;
    found = index;
    nearest = distance;
  }
  return found;
}

function isAbove(mark: Mark, other: Mark | null): boolean {
  return other === null || MARK_LOOKS.indexOf(mark.look) >= MARK_LOOKS.indexOf(other.look);
}

/** The marks of each look as one path, in the order in which they are painted. */
export function pathsOf(marks: readonly Mark[]): { look: MarkLook; path: string }[] {
  return MARK_LOOKS.flatMap((look) => {
    const ofLook = marks.filter((mark) => mark.look === look);
    const drawn = look === "planned" ? joined(ofLook) : ofLook;
    return drawn.length === 0 ? [] : [{ look, path: drawn.map((mark) => shapeOf(look, mark)).join("") }];
  });
}

/** Outlines that touch become one, or there would be nothing but outline. */
function joined(marks: readonly Pick<Mark, "x" | "width">[]): Pick<Mark, "x" | "width">[] {
  const result: { x: number; width: number }[] = [];
  for (const { x, width } of marks) {
    const last = result.at(-1);
    if (last !== undefined && x <= last.x + last.width + 1.5) last.width = Math.max(last.width, x + width - last.x);
    else result.push({ x, width });
  }
  return result;
}

/** How high a lane is; all shapes are drawn within it. */
export const LANE_PX = 32;

/** The outline of a mark. Each look has a form of its own, so that none is told by its colour alone. */
export function shapeOf(look: MarkLook, { x, width }: Pick<Mark, "x" | "width">): string {
  const box = (top: number, bottom: number, inset = 0) =>
    `M${n(x + inset)} ${top}h${n(Math.max(0.5, width - 2 * inset))}v${bottom - top}h${n(-Math.max(0.5, width - 2 * inset))}z`;
  switch (look) {
    case "succeeded":
      return box(9, 23);
    case "failed":
      return box(3, 29);
    case "missed":
    case "unknown":
      return box(3.5, 28.5, 0.5);
    case "cancelled":
      return box(14, 18);
    case "planned":
      return box(11.5, 20.5, 0.5);
    case "running":
    case "retrying":
    case "waiting":
      // Open to the right, as it goes on.
      return `M${n(x + width)} 9.5H${n(x + 0.5)}V22.5H${n(x + width)}`;
    case "overlapped":
      return `M${n(x - 3)} 4h8l-4 7zM${n(x)} 4h${n(width)}v2h${n(-width)}z`;
    case "paused":
    case "skipped":
      return `M${n(x)} 26H${n(x + width)}`;
  }
}

/** Tenths of a pixel are enough, and short. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
