import type { Job, JobSpec, Warning } from "../contract/job.ts";
import type { Store } from "../store/port.ts";

/** What is said of jobs whose handler nobody offers. One question for all of them; none if no job wants a handler. */
export async function withHandlerWarnings<T extends Job>(store: Store, projectId: string, jobs: T[]): Promise<T[]> {
  const wanted = new Set(jobs.flatMap((job) => handlerOf(job) ?? []));
  if (wanted.size === 0) return jobs;
  const served = await store.workers.servedBy(projectId, [...wanted]);
  return jobs.map((job) => {
    const handler = handlerOf(job);
    const warning = handler === null ? null : WARNINGS[served.get(handler) ?? "unknown"](handler);
    return warning === null ? job : { ...job, warnings: [...job.warnings, warning] };
  });
}

const WARNINGS: Record<"served" | "unserved" | "unknown", (handler: string) => Warning | null> = {
  served: () => null,
  unserved: (handler) => ({
    code: "handler_unserved",
    message: `no worker that offers the handler "${handler}" is there now; runs of the job wait for one`,
  }),
  unknown: (handler) => ({
    code: "handler_unknown",
    message: `no worker has ever offered the handler "${handler}"; is it spelt as the worker spells it?`,
  }),
};

/** Jobs that run no more warn of nothing. */
function handlerOf({ target, state }: Pick<JobSpec, "target"> & Pick<Job, "state">): string | null {
  if (state === "completed" || state === "deleted") return null;
  return target.type === "worker" ? target.handler : null;
}
