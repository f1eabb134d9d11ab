import type { SpecEditor } from "./jobs.ts";

/** The program whose code declares jobs. All its instances, of whatever release, share them. */
export interface App {
  projectId: string;
  name: string;
  release: string;
}

/** What stands in a job's `source`. */
export function codeSource(app: string): string {
  return `code:${app}`;
}

/** Why a job is paused that no living instance declares any more; the one pause that a declaration ends. */
export const NOT_IN_CODE = "not_in_code";

export interface CodeJob {
  name: string;
  edit: SpecEditor;
}

export interface CodeJobOutcome {
  jobId: string;
  name: string;
  /** `left`: a newer release declared it before, and what that one said stays. */
  outcome: "created" | "updated" | "unchanged" | "left";
  /** It was paused because nobody declared it. */
  resumed: boolean;
}

export type Declaration =
  | { kind: "declared"; jobs: CodeJobOutcome[] }
  /** Jobs of these names belong to others; nothing was changed. */
  | { kind: "taken"; jobs: { name: string; source: string | null }[] };

export interface CodeJobStore {
  /** Makes the jobs what the code says, all or none; a spec that is as it was makes no version. */
  declare(app: App, jobs: CodeJob[]): Promise<Declaration>;
  /** Says that the jobs are still declared. Answers those that were given up meanwhile: they must be declared again. */
  refresh(jobIds: string[]): Promise<string[]>;
  /** Pauses the app's jobs that nobody declared for so long. */
  sweep(
    app: App,
    options: { afterMs: number; limit: number },
  ): Promise<{ jobId: string; name: string; paused: boolean }[]>;
  /** Of the given jobs those that code declares, each with the release that had the last word. */
  declared(jobIds: string[]): Promise<Map<string, { release: string; declaredAt: Date }>>;
}
