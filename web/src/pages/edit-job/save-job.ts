import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Job, type JobInput, PunctualApiError } from "punctual/client";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";
import type { JobDraft } from "./job-draft.ts";
import { problemsOf } from "./problems.ts";

/** Saves the draft, says so, and goes to the job. */
export function useSaveJob({
  base,
  onMismatch,
}: {
  /** The version that was opened; null for a new job. */
  base: Job | null;
  /** Somebody else was faster: this is what they saved. */
  onMismatch: (theirs: Job) => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const write = (draft: JobDraft, paused: boolean) => {
    const input = draft as JobInput;
    if (base === null) return client.jobs.create({ ...input, ...(paused ? { paused } : {}) });
    return client.jobs.put(base.id, input, { ifMatch: base.version });
  };
  return useMutation({
    mutationFn: ({ draft, paused }: { draft: JobDraft; paused: boolean }) => write(draft, paused),
    onSuccess: async (job) => {
      readAgain(queries, "jobs", "job", "timeline");
      tell(
        base === null
          ? `${job.name} is made.`
          : base.version === job.version
            ? "Nothing was changed."
            : `${job.name} is saved.`,
      );
      await navigate({ to: "/jobs/$job", params: { job: job.id }, ignoreBlocker: true });
    },
    onError: async (error) => {
      if (error instanceof PunctualApiError && error.code === "version_mismatch" && base !== null) {
        onMismatch(await client.jobs.get(base.id));
      } else if (problemsOf(error).length === 0) {
        tellFailure("The job could not be saved", error);
      }
    },
  });
}
