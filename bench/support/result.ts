// What was measured, as it is kept in docs/benchmarks/<claim>.json.

import type { Claim, Entry, Measure, Reading, Sample } from "./claim.ts";
import type { Machine } from "./machine.ts";
import { median } from "./statistics.ts";

export interface Result {
  claim: string;
  measuredAt: string;
  machine: Machine;
  /** Of everything that took part, by name. */
  versions: Record<string, string>;
  quick: boolean;
  size: string;
  rounds: number;
  entries: MeasuredEntry[];
  leftOut: { name: string; why: string }[];
}

export interface MeasuredEntry {
  name: string;
  kind: Entry["kind"];
  settings: string;
  samples: Sample[];
  /** Of the one round in which the server counted them. */
  statementsPerExecution?: number;
}

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(entry: MeasuredEntry, measure: string): Spread {
  const values = entry.samples.map((sample) => sample[measure]).filter((value) => value !== undefined);
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export function readingOf(result: Result, claim: Pick<Claim, "measures">): Reading {
  const best = (kinds: Entry["kind"][], key: string) => {
    const values = result.entries
      .filter((entry) => kinds.includes(entry.kind))
      .map((entry) => spreadOf(entry, key).median)
      .filter((value) => !Number.isNaN(value));
    const better = measureOf(claim, key).better;
    return values.length === 0 ? Number.NaN : better === "more" ? Math.max(...values) : Math.min(...values);
  };
  return {
    of: (name, key) => {
      const entry = result.entries.find((candidate) => candidate.name === name);
      return entry === undefined ? Number.NaN : spreadOf(entry, key).median;
    },
    ours: (key) => best(["ours"], key),
    bestPeer: (key) => best(["peer"], key),
    bestPushed: (key) => best(["peer", "pushed"], key),
  };
}

function measureOf({ measures }: Pick<Claim, "measures">, key: string): Measure {
  const measure = measures.find((candidate) => candidate.key === key);
  if (measure === undefined) throw new Error(`no measure is called ${key}`);
  return measure;
}
