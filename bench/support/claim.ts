// A claim is something that Punctual says of itself and this benchmark tries: who is measured, what of them, and which goal
// is to be reached. One file per claim; run.ts measures them.

import type { Stage } from "./stage.ts";

export interface Claim {
  /** As `--only` says it; results are kept under it. */
  readonly name: string;
  readonly title: string;
  /** What is done, what counts, what is left out: Markdown. */
  readonly about: string;
  /** "50,000 executions". */
  size(quick: boolean): string;
  /** In the order of the report's columns; the first is what the claim is about. */
  readonly measures: readonly Measure[];
  readonly plots: readonly Plot[];
  readonly entries: readonly Entry[];
  readonly goals: readonly Goal[];
  /** One more round, not measured, in which the server counts statements. */
  readonly countsStatements?: boolean;
}

export interface Measure {
  key: string;
  label: string;
  better: "more" | "less";
}

/** One measure of all entries as bars. */
export interface Plot {
  measure: string;
  title: string;
  logarithmic?: boolean;
}

export interface Entry {
  readonly name: string;
  /**
   * Ours; a peer as its documentation advises; one `pushed` beyond that, to what nobody would leave running; or a limit that
   * nobody can pass.
   */
  readonly kind: "ours" | "peer" | "pushed" | "limit";
  /** In words, for the report. */
  readonly settings: string;
  readonly needsRedis?: boolean;
  /** One measurement, in processes and a database of its own. Throws if anything was lost or done twice. */
  run(stage: Stage): Promise<Sample>;
}

/** By the keys of the claim's measures. */
export type Sample = Record<string, number>;

export interface Goal {
  /** "at least 1.3 × the best peer". */
  text: string;
  atLeast?: number;
  atMost?: number;
  /** NaN: cannot be told from what was measured. */
  value(reading: Reading): number;
}

/** Medians of what was measured. */
export interface Reading {
  of(entry: string, measure: string): number;
  /** The best of those that are ours. */
  ours(measure: string): number;
  bestPeer(measure: string): number;
  /** Of the peers, those that were pushed too. */
  bestPushed(measure: string): number;
}
