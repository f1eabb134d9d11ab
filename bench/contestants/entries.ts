// The peers as they stand in the tables: one way of running each that its documentation advises for speed, found best of
// those tried here, and where going beyond that advice pays, that way as well.

import type { Entry, Sample } from "../support/claim.ts";
import type { Stage } from "../support/stage.ts";
import type { Racer } from "./race.ts";

/** Someone to be measured: how is for the claim to say. */
export interface Runner extends Omit<Entry, "run" | "needsRedis" | "settings"> {
  racer: Racer;
  /** Finished ones stay in its storage. */
  remembers?: boolean;
  /** Beside its settings, for the report. */
  note?: string;
  /** What would take minutes gets a share of the work; per second it is the same. */
  share?: number;
}

export function asEntry(runner: Runner, run: (stage: Stage, runner: Runner) => Promise<Sample>): Entry {
  const { name, kind, racer, note } = runner;
  return {
    name,
    kind,
    settings: [settingsInWords(racer.settings), note].filter(Boolean).join("; "),
    needsRedis: racer.onRedis ?? false,
    run: (stage) => run(stage, runner),
  };
}

/** {a: 1, b: {c: 2}} → `a: 1`, `b.c: 2` */
function settingsInWords(settings: unknown, path = ""): string {
  return Object.entries(settings as Record<string, unknown>)
    .map(([name, value]) =>
      typeof value === "object" && value !== null
        ? settingsInWords(value, `${path}${name}.`)
        : `\`${path}${name}: ${JSON.stringify(value)}\``,
    )
    .filter((words) => words !== "")
    .join(", ");
}
