import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Job } from "punctual/client";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";

/** Lets a paused job run again. */
export function useResume({ id, name }: Job) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.jobs.resume(id),
    onSuccess: () => {
      tell(`${name} runs again`);
      readAgain(queries, "job", "jobs");
    },
    onError: (error) => tellFailure(`${name} could not be resumed`, error),
  });
}
