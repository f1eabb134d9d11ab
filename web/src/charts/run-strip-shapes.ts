import { barHeights, type StripRun } from "./run-strip-layout.ts";

export const SLOT_WIDTH = 6;
export const BAR_WIDTH = 4;
const BARS_HEIGHT = 20;
const MARKS_HEIGHT = 6;
export const STRIP_HEIGHT = BARS_HEIGHT + 2 + MARKS_HEIGHT;
const MARK_AT = STRIP_HEIGHT - MARKS_HEIGHT / 2;
/** Of what goes on: how long it will take is not known. */
const GOING_HEIGHT = 16;

/** All that is drawn alike: lines as wide as a bar, and thin ones. `retried` are the dots below what did not succeed at once. */
export interface Ink {
  kind: StripRun["state"] | "retried";
  solid: string;
  thin: string;
}

/** The lines of a strip; the runs begin behind the slots that are empty. */
export function inksOf(runs: readonly StripRun[], empty: number): Ink[] {
  const inks = new Map<Ink["kind"], Ink>();
  const add = (kind: Ink["kind"], solid: string, thin: string) => {
    const ink = inks.get(kind) ?? { kind, solid: "", thin: "" };
    inks.set(kind, { kind, solid: ink.solid + solid, thin: ink.thin + thin });
  };
  const heights = barHeights(runs);
  runs.forEach(({ state, attempt }, index) => {
    const x = (empty + index) * SLOT_WIDTH + SLOT_WIDTH / 2;
    const height = Math.round(heights[index]! * BARS_HEIGHT);
    const [solid, thin] = shapeOf(state, x, height);
    add(state, solid, thin);
    if (state === "succeeded" && attempt > 1) add("retried", "", `M${x} ${MARK_AT}h0`);
  });
  return [...inks.values()];
}

/** A faint line for each slot without a run. */
export function emptySlots(count: number): string {
  const gap = (SLOT_WIDTH - BAR_WIDTH) / 2;
  return Array.from({ length: count }, (_, slot) => `M${slot * SLOT_WIDTH + gap} ${BARS_HEIGHT - 1}h${BAR_WIDTH}`).join(
    "",
  );
}

function shapeOf(state: StripRun["state"], x: number, height: number): [solid: string, thin: string] {
  switch (state) {
    case "succeeded":
      return [bar(x, height), ""];
    case "failed":
      return [bar(x, height), `M${x - 1.75} ${MARK_AT - 1.75}l3.5 3.5m0 -3.5l-3.5 3.5`];
    case "unknown":
      return [bar(x, height), `M${x - 1.75} ${MARK_AT}a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0`];
    case "running":
      return [`${bar(x, 4)}m0 -2v-4m0 -2v-4`, ""];
    case "retrying":
      return [bar(x, GOING_HEIGHT / 2), hollow(x, GOING_HEIGHT)];
    case "cancelled":
      return ["", `${hollow(x, height)}M${x - 1.5} ${MARK_AT}h3`];
    case "scheduled":
      return ["", `M${x - 1.5} ${BARS_HEIGHT - 0.5}h3M${x} ${BARS_HEIGHT - 4}h0M${x} ${BARS_HEIGHT - 7}h0`];
    default:
      return ["", hollow(x, height)];
  }
}

function bar(x: number, height: number): string {
  return `M${x} ${BARS_HEIGHT}v${-height}`;
}

/** As large as a bar of that height: half of the line lies inside of its path, half outside. */
function hollow(x: number, height: number): string {
  const inset = 0.625;
  const [width, tall] = [BAR_WIDTH - 2 * inset, height - 2 * inset];
  return `M${x - width / 2} ${BARS_HEIGHT - inset}v${-tall}h${width}v${tall}z`;
}
