import { useQueryClient } from "@tanstack/react-query";
import type { Job } from "punctual/client";
import { useMemo } from "react";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";

export interface JobActions {
  run(job: Job): void;
  /** Pauses a job that is active, resumes one that is paused. */
  pauseOrResume(job: Job): void;
}

/** What can be done with a job at once. The same object as long as the page is shown, so that rows need not be drawn again. */
export function useJobActions(): JobActions {
  const client = useClient();
  const queries = useQueryClient();
  return useMemo(() => {
    const run = async ({ id, name }: Job) => {
      try {
        await client.jobs.trigger(id);
        tell(`${name} runs now`);
      } catch (error) {
        tellFailure(`${name} was not run`, error);
      }
      readAgain(queries, "jobs", "executions", "stats");
    };
    const pauseOrResume = async ({ id, name, state }: Job) => {
      const paused = state === "paused";
      try {
        await (paused ? client.jobs.resume(id) : client.jobs.pause(id));
        tell(paused ? `${name} goes on` : `${name} is paused`);
      } catch (error) {
        tellFailure(paused ? `${name} is still paused` : `${name} was not paused`, error);
      }
      readAgain(queries, "jobs", "job", "timeline");
    };
    return {
      run: (job) => void run(job),
      pauseOrResume: (job) => void pauseOrResume(job),
    };
  }, [client, queries]);
}

export function canRun({ state }: Job): boolean {
  return state !== "deleted";
}

export function canPauseOrResume({ state }: Job): boolean {
  return state === "active" || state === "paused";
}
