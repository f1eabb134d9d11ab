import { styleText } from "node:util";

const STYLES = {
  good: "green",
  bad: "red",
  doubtful: "yellow",
  active: "cyan",
  faint: "dim",
  strong: "bold",
} as const;

/** What a piece of text means; how that looks is decided here only. */
export type Tone = keyof typeof STYLES;

export type Paint = (tone: Tone, text: string) => string;

export function painter(colours: boolean): Paint {
  return (tone, text) => (colours ? styleText(STYLES[tone], text, { validateStream: false }) : text);
}

/** Colours go to a person at a terminal, unless that person said otherwise (https://no-color.org). */
export function wantsColour(
  stream: { isTTY?: boolean },
  { flag, environment }: { flag: boolean; environment: NodeJS.ProcessEnv },
): boolean {
  return stream.isTTY === true && flag && !environment.NO_COLOR && environment.TERM !== "dumb";
}

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  succeeded: "good",
  served: "good",
  ok: "good",
  alive: "good",
  running: "active",
  scheduled: "active",
  retrying: "doubtful",
  paused: "doubtful",
  skipped: "faint",
  completed: "faint",
  cancelled: "faint",
  deleted: "faint",
  discarded: "faint",
  unused: "faint",
  retried: "faint",
  draining: "doubtful",
  unknown: "bad",
  failed: "bad",
  unserved: "bad",
  lost: "bad",
  unavailable: "bad",
  timed_out: "bad",
  open: "bad",
};

/** The same state has the same colour in every table. */
export function toneOf(state: string): Tone | null {
  return TONES[state] ?? null;
}
