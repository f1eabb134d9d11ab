import type { Job, Json } from "punctual/client";
import { useCallback, useState } from "react";
import { type JobDraft, withValue } from "./job-draft.ts";

/** The draft, the version it began with, and what the person has done so far. */
export function useDraftState(start: JobDraft, job: Job | null) {
  const [draft, setDraft] = useState(start);
  // The job goes on living while it is edited: the version that was opened is kept.
  const [base, setBase] = useState(job);
  const [tried, setTried] = useState(false);
  const [broken, setBrokenPaths] = useState<ReadonlySet<string>>(new Set());
  const change = useCallback((path: string, value: Json | undefined) => {
    setDraft((before) => withValue(before, path, value));
  }, []);
  const setBroken = useCallback((path: string, isBroken: boolean) => {
    setBrokenPaths((before) => {
      if (before.has(path) === isBroken) return before;
      const next = new Set(before);
      if (isBroken) next.add(path);
      else next.delete(path);
      return next;
    });
  }, []);
  /** Goes on from a newer version. */
  const rebase = useCallback((newer: Job, next: JobDraft) => {
    setBase(newer);
    setDraft(next);
  }, []);
  return {
    draft,
    base,
    /** Whether saving was tried: from then on what is missing is told as well. */
    tried,
    broken: broken.size > 0,
    change,
    replace: setDraft,
    setTried,
    setBroken,
    rebase,
  };
}
