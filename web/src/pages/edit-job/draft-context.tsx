import type { Job, Json, Problem } from "punctual/client";
import { createContext, type ReactNode, use } from "react";
import { CLOCK_PRESETS, type JobDraft, PRESETS, TARGET_PRESETS, targetTypeOf, valueAt } from "./job-draft.ts";
import { problemAt } from "./problems.ts";

/** What every field of the form works on. */
export interface DraftInForm {
  draft: JobDraft;
  /** The job that is edited; null for a new one. */
  job: Job | null;
  /** What is to be told, by the fields they belong to. */
  problems: readonly Problem[];
  /** Writes at a path such as `retry.maxAttempts`; undefined takes the value out. */
  change: (path: string, value: Json | undefined) => void;
  /** A text that is no JSON yet stands for no value: until it is, nothing can be saved. */
  setBroken: (path: string, broken: boolean) => void;
}

const DraftContext = createContext<DraftInForm | null>(null);

export function DraftProvider({ value, children }: { value: DraftInForm; children: ReactNode }) {
  return <DraftContext value={value}>{children}</DraftContext>;
}

export function useDraft(): DraftInForm {
  const found = use(DraftContext);
  if (found === null) throw new Error("there is no draft around this component");
  return found;
}

export interface DraftField {
  /** What is written; undefined if nothing is. */
  written: Json | undefined;
  /** What holds: what is written, or else the preset. */
  value: Json | undefined;
  preset: Json | undefined;
  problem: string | null;
  change: (value: Json | undefined) => void;
}

export function useField(path: string): DraftField {
  const { draft, problems, change } = useDraft();
  const type = targetTypeOf(draft);
  const presets = {
    ...PRESETS,
    schedule: { dst: CLOCK_PRESETS },
    ...(type === null ? {} : { target: TARGET_PRESETS[type] }),
  };
  const written = valueAt(draft, path);
  const preset = valueAt(presets, path);
  return {
    written,
    preset,
    value: written === undefined ? preset : written,
    problem: problemAt(problems, path),
    change: (value) => change(path, value),
  };
}
