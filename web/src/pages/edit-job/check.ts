import type { Job, JobInput, Problem, Warning } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { useAsked } from "./asked.ts";
import type { JobDraft } from "./job-draft.ts";
import { problemsOf } from "./problems.ts";

const WAIT_MS = 400;

export interface Check {
  problems: Problem[];
  warnings: Warning[];
}

/** What the server would say to the draft if it were saved now. As long as nothing is changed there is nothing to ask. */
export function useCheck(draft: JobDraft, job: Job | null, changed: boolean): Check {
  const client = useClient();
  const input = draft as JobInput;
  const ask = (signal: AbortSignal) =>
    job === null
      ? client.jobs.create(input, { dryRun: true, signal })
      : client.jobs.put(job.id, input, { dryRun: true, signal });
  const { answer, error, current } = useAsked<Job | null>(
    changed ? JSON.stringify(draft) : "",
    changed ? ask : () => Promise.resolve(null),
    WAIT_MS,
  );
  // While it is asked anew, what was wrong before stays, or the page would jump at every key.
  const problems = problemsOf(error);
  return { problems, warnings: problems.length === 0 && current ? (answer?.warnings ?? []) : [] };
}
