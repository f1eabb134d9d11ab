import type { FailingJob } from "../../contract/failing-jobs.ts";
import type { FinalState } from "../../core/states.ts";

export interface StatsWindow {
  from: Date;
  to: Date;
}

/** A window that is divided into steps of one length. */
export interface SteppedWindow extends StatsWindow {
  stepMs: number;
}

interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface JobStats {
  /** Instants by what became of them. */
  states: Record<string, number>;
  /** False if the window has so many executions that only the latest were looked at. */
  complete: boolean;
  durationMs: Percentiles;
  latenessMs: Percentiles;
}

/** Instants by what became of them, all states named. */
export type StateCounts = Record<FinalState, number>;

export interface JobStep extends StateCounts {
  /** When the step begins. */
  at: Date;
  /** Runs that started LATE_AFTER_MS or more after their instant. */
  late: number;
  durationMs: Percentiles;
  latenessMs: Percentiles;
}

export interface StatsStore {
  /** Per minute and measure, summed over shards, oldest first. */
  minutes(
    projectId: string | null,
    window: StatsWindow,
  ): Promise<{ minute: Date; measure: string; bucket: number; n: number }[]>;
  /** The same, summed over the window: what long windows want. */
  totals(projectId: string | null, window: StatsWindow): Promise<{ measure: string; bucket: number; n: number }[]>;
  /** The same, summed over each step of the window in which anything was counted; `at` is its beginning. */
  steps(projectId: string, window: SteppedWindow): Promise<{ at: Date; measure: string; bucket: number; n: number }[]>;
  openDeadLetters(projectId: string | null): Promise<number>;
  /** The age of the oldest due execution that is not started, and the database's time. */
  lag(): Promise<{ now: Date; lagMs: number }>;
  /** Of one job, straight from the ledger. */
  job(projectId: string, jobId: string, window: StatsWindow): Promise<JobStats>;
  /**
   * The same for each step in which it had executions. If there are too many, percentiles and `late` are of the latest of each
   * step, and `complete` is false.
   */
  jobSteps(projectId: string, jobId: string, window: SteppedWindow): Promise<{ steps: JobStep[]; complete: boolean }>;
  /**
   * What became of its executions in each of some windows, in their order. One that is not `complete` has more than are
   * counted: at least so many.
   */
  jobWindowCounts(
    projectId: string,
    jobId: string,
    windows: readonly StatsWindow[],
  ): Promise<(StateCounts & { complete: boolean })[]>;
  /** The jobs with the most failed and unknown executions of the window, most first. */
  failing(projectId: string, window: StatsWindow, limit: number): Promise<{ items: FailingJob[]; complete: boolean }>;
}
