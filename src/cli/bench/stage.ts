import type { BenchDatabase } from "./bench-database.ts";
import type { BenchNodes } from "./bench-nodes.ts";
import type { LocalTarget } from "./local-target.ts";

/** What a measurement has at hand. */
export interface Stage {
  database: BenchDatabase;
  target: LocalTarget;
  nodes: BenchNodes;
  seconds: number;
  signal: AbortSignal;
  progress(text: string): void;
}
