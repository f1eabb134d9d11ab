import type { z } from "zod";
import { type BulkFailure, bulkAnswerSchema, bulkExecutionsInput, bulkJobsInput } from "../../contract/bulk.ts";
import { PunctualError } from "../../contract/errors.ts";
import { EXECUTION_STATES } from "../../contract/execution.ts";
import { TRIGGERS_MAX } from "../../contract/trigger.ts";
import { isFinal } from "../../core/states.ts";
import type { ExecutionFilter } from "../../store/port/executions.ts";
import { forEachId, noteBulk, runBulk } from "../bulk.ts";
import { changed } from "../job-change.ts";
import { noted } from "../job-view.ts";
import { demand } from "../principal.ts";
import { type Answer, BULK_BODY_LIMIT, type Call, PREFIX, type Route, route } from "../route.ts";
import { runTriggers } from "../run-triggers.ts";
import { executionFilter, jobFilter } from "../written-filter.ts";

/**
 * What is paused, resumed, deleted or cancelled twice is so once: each thing has a transaction of its own, whatever key was
 * sent. One around thousands of them would hold up every node that writes a result of one of the jobs.
 */
const REPEATABLE = "outside";

/** In one statement: enough to make it cheap, too few to hold up who writes a result of one of them. */
const CANCELLED_AT_ONCE = 100;

const DONE = { description: "What was done.", schema: bulkAnswerSchema };

export function bulkRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/bulk/jobs`,
      group: "Jobs",
      summary: "Pause, resume, trigger or delete many jobs",
      body: bulkJobsInput,
      bodyLimit: BULK_BODY_LIMIT,
      responses: { 200: DONE },
      idempotency: ({ action }) => (action === "trigger" ? "inside" : REPEATABLE),
      atomic: false,
      handler: bulkJobs,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/bulk/executions`,
      group: "Executions",
      summary: "Cancel or retry many executions",
      body: bulkExecutionsInput,
      bodyLimit: BULK_BODY_LIMIT,
      responses: { 200: DONE },
      idempotency: ({ action }) => (action === "retry" ? "inside" : REPEATABLE),
      atomic: false,
      handler: bulkExecutions,
    }),
  ];
}

type JobsCall = Call<unknown, unknown, z.infer<typeof bulkJobsInput>>;

async function bulkJobs(call: JobsCall): Promise<Answer> {
  const { body, principal, store } = call;
  if (body.action === "delete") demand(principal, "write");
  const filter = body.ids ? { ids: [...new Set(body.ids)] } : jobFilter(body.filter!);
  const matching = (limit: number) => store.jobs.matching(principal.projectId, filter, limit);
  const act = body.action === "trigger" ? triggerAll : changeAll;
  const answer = await runBulk(matching, body, (ids) => act(call, ids));
  noteBulk(call, "jobs", answer);
  return { status: 200, body: answer };
}

async function triggerAll(call: JobsCall, ids: string[]): Promise<{ changed: number; failures: BulkFailure[] }> {
  for (let start = 0; start < ids.length; start += TRIGGERS_MAX) {
    const requests = ids.slice(start, start + TRIGGERS_MAX).map((job) => ({ job }));
    await runTriggers(
      call,
      requests,
      (job) => new PunctualError("count_changed", `the job "${job}" was deleted meanwhile`),
    );
  }
  return { changed: ids.length, failures: [] };
}

async function changeAll(
  { body, principal, store, publish, wake, note }: JobsCall,
  ids: string[],
): Promise<{ changed: number; failures: BulkFailure[] }> {
  const { projectId, name: actor } = principal;
  const actions = {
    pause: {
      change: (id: string) => store.jobs.pause(projectId, id, { actor, reason: body.reason, until: null }),
      event: "job.paused",
    },
    resume: { change: (id: string) => store.jobs.resume(projectId, id, { actor }), event: "job.resumed" },
    delete: { change: (id: string) => store.jobs.delete(projectId, id, { actor }), event: "job.deleted" },
  } as const;
  const { change, event } = actions[body.action as keyof typeof actions];
  const done = await forEachId(ids, async (id) => {
    const { job } = changed<unknown>(await change(id), id);
    note({ ...noted(job), after: { action: body.action } });
    publish({ type: event, projectId, data: { jobId: id, state: job.state } });
  });
  wake();
  return done;
}

async function bulkExecutions(call: Call<unknown, unknown, z.infer<typeof bulkExecutionsInput>>): Promise<Answer> {
  const { body, principal, store, publish, wake } = call;
  const { projectId, name: actor } = principal;
  const filter = body.ids
    ? { ids: [...new Set(body.ids)] }
    : withPossibleStates(executionFilter(body.filter!), body.action);
  const cancel = async (id: string) => {
    const result = await store.executions.cancel(projectId, id, { actor });
    if (result.kind !== "cancelled") throw refused(result, "cancelled");
    const { jobId, state, reason } = result.execution;
    publish({ type: "execution.cancelled", projectId, data: { jobId, executionId: id, state, reason } });
  };
  const cancelAll = async (ids: string[]): Promise<{ changed: number; failures: BulkFailure[] }> => {
    const failures: BulkFailure[] = [];
    for (let start = 0; start < ids.length; start += CANCELLED_AT_ONCE) {
      const some = ids.slice(start, start + CANCELLED_AT_ONCE);
      const cancelled = new Map(
        (await store.executions.cancelMany(projectId, some, { actor })).map((one) => [one.id, one]),
      );
      for (const { id, jobId, reason } of cancelled.values())
        publish({
          type: "execution.cancelled",
          projectId,
          data: { jobId, executionId: id, state: "cancelled", reason },
        });
      // Few are left, and each is asked why.
      const left = some.filter((id) => !cancelled.has(id));
      failures.push(...(await forEachId(left, cancel)).failures);
    }
    return { changed: ids.length - failures.length, failures };
  };
  const retry = async (id: string) => {
    const result = await store.executions.retry(projectId, id, { actor, version: "current" });
    if (result.kind !== "created" && result.kind !== "hastened") throw refused(result, "run again");
  };
  const matching = (limit: number) => store.executions.matching(projectId, filter, limit);
  const act = body.action === "cancel" ? cancelAll : (ids: string[]) => forEachId(ids, retry);
  const answer = await runBulk(matching, body, act);
  noteBulk(call, "executions", answer);
  wake();
  return { status: 200, body: answer };
}

/** A filter without states means those with which the action can be done. */
function withPossibleStates(filter: ExecutionFilter, action: "cancel" | "retry"): ExecutionFilter {
  if (filter.states) return filter;
  const retriable = ["failed", "unknown", "cancelled", "retrying"] as const;
  return {
    ...filter,
    states: action === "retry" ? [...retriable] : EXECUTION_STATES.filter((state) => !isFinal(state)),
  };
}

function refused(result: { kind: string; state?: string }, action: string): PunctualError {
  if (result.kind === "not_found") return new PunctualError("not_found", "it is no longer there");
  if (result.kind === "job_deleted") return new PunctualError("wrong_state", "its job was deleted");
  return new PunctualError("wrong_state", `it is ${result.state} and cannot be ${action}`);
}
