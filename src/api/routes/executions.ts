import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { executionSchema } from "../../contract/execution.ts";
import { cancelInput, retryInput } from "../../contract/execution-actions.ts";
import {
  COUNT_MAX,
  executionCountsSchema,
  executionFilterQuery,
  executionListQuery,
  type executionPageQuery,
  jobExecutionListQuery,
} from "../../contract/execution-list.ts";
import { pageSchema } from "../../contract/page.ts";
import { idOrName, uuid } from "../../contract/parameters.ts";
import type { ExecutionFilter } from "../../store/port/executions.ts";
import type { ApiDeps } from "../deps.ts";
import { noJob } from "../job-change.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { refuseTarget } from "../save-job.ts";
import { executionFilter } from "../written-filter.ts";

const params = z.object({ id: uuid });
const PAGE = { description: "A page of executions.", schema: pageSchema(executionSchema) };
const EXECUTION = { description: "The execution.", schema: executionSchema };
export function executionRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/executions`,
      group: "Executions",
      summary: "List executions",
      query: executionListQuery,
      responses: { 200: PAGE },
      handler: async (call) => await listPage(call, executionFilter(call.query)),
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/executions`,
      group: "Executions",
      summary: "List the executions of a job",
      params: z.object({ id: idOrName }),
      query: jobExecutionListQuery,
      responses: { 200: PAGE },
      handler: async (call) => {
        const job = await call.store.jobs.find(call.principal.projectId, call.params.id);
        if (job === null) throw noJob(call.params.id);
        return await listPage(call, { ...executionFilter(call.query), jobIds: [job.id] });
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/executions/counts`,
      group: "Executions",
      summary: "Count executions by state",
      query: executionFilterQuery,
      responses: { 200: { description: "How many there are in each state.", schema: executionCountsSchema } },
      handler: async ({ query, principal, store }) => {
        const counts = await store.executions.counts(principal.projectId, executionFilter(query));
        return {
          status: 200,
          body: { ...counts, complete: Object.values(counts).every((count) => count < COUNT_MAX) },
        };
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/executions/:id`,
      group: "Executions",
      summary: "Read an execution with its attempts",
      params,
      responses: { 200: EXECUTION },
      handler: async ({ params: { id }, principal, store }) => {
        const execution = await store.executions.find(principal.projectId, id);
        if (execution === null) throw noExecution(id);
        return { status: 200, body: execution };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/executions/:id/cancel`,
      group: "Executions",
      summary: "Cancel an execution, also a running one",
      params,
      body: cancelInput,
      responses: { 200: EXECUTION },
      handler: cancelExecution,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/executions/:id/retry`,
      group: "Executions",
      summary: "Run an execution again, or its next attempt now",
      params,
      body: retryInput,
      responses: {
        200: { description: "It was retrying: its next attempt is due now.", schema: executionSchema },
        201: { description: "The new execution.", schema: executionSchema },
      },
      handler: async (call) => {
        if (call.body.version === "original") await refuseOriginal(deps, call);
        return await retryExecution(call);
      },
    }),
  ];
}

type PageQuery = z.infer<z.ZodObject<typeof executionPageQuery>>;

async function listPage(
  { query, principal, store }: Call<unknown, PageQuery>,
  filter: ExecutionFilter,
): Promise<Answer> {
  const page = { order: query.order, after: query.cursor ?? null, limit: query.limit, include: query.include ?? [] };
  const { items, next } = await store.executions.list(principal.projectId, filter, page);
  return { status: 200, body: { items, nextCursor: next } };
}

async function cancelExecution(
  call: Call<z.infer<typeof params>, unknown, z.infer<typeof cancelInput>>,
): Promise<Answer> {
  const {
    params: { id },
    body,
    principal,
    store,
    publish,
    wake,
  } = call;
  const options = { actor: principal.name, ...(body.reason === undefined ? {} : { reason: body.reason }) };
  const result = await store.executions.cancel(principal.projectId, id, options);
  if (result.kind === "not_found") throw noExecution(id);
  if (result.kind === "wrong_state")
    throw new PunctualError("wrong_state", `the execution is ${result.state} and cannot be cancelled`);
  const { jobId, jobName, state, reason } = result.execution;
  call.note({ kind: "execution", id, name: jobName, after: { state, reason } });
  publish({
    type: "execution.cancelled",
    projectId: principal.projectId,
    data: { jobId, executionId: id, state, reason },
  });
  wake();
  return { status: 200, body: result.execution };
}

/** A version that was replaced comes back to life only for those who may also restore it. */
async function refuseOriginal(
  deps: ApiDeps,
  { params: { id }, principal, store }: Call<z.infer<typeof params>>,
): Promise<void> {
  const execution = await store.executions.find(principal.projectId, id);
  if (execution === null) throw noExecution(id);
  const { jobId, jobVersion } = execution;
  const version = await store.jobs.version(principal.projectId, jobId, jobVersion);
  const job = await store.jobs.find(principal.projectId, jobId);
  if (version !== null && job?.version !== jobVersion)
    await refuseTarget(deps, { principal, store }, version.spec.target);
}

async function retryExecution(
  call: Call<z.infer<typeof params>, unknown, z.infer<typeof retryInput>>,
): Promise<Answer> {
  const {
    params: { id },
    body,
    principal,
    store,
    publish,
    wake,
  } = call;
  const options = {
    actor: principal.name,
    version: body.version,
    ...("payload" in body ? { payload: body.payload! } : {}),
  };
  const result = await store.executions.retry(principal.projectId, id, options);
  if (result.kind === "not_found") throw noExecution(id);
  if (result.kind === "job_deleted")
    throw new PunctualError("wrong_state", "its job was deleted; there is nothing to run again");
  if (result.kind === "wrong_state")
    throw new PunctualError("wrong_state", `the execution is ${result.state} and cannot be run again`);
  const execution = await store.executions.find(principal.projectId, result.executionId);
  call.note({ kind: "execution", id, name: execution?.jobName ?? null, after: { executionId: result.executionId } });
  if (result.kind === "created" && execution !== null) {
    const data = { jobId: execution.jobId, executionId: execution.id, state: execution.state };
    publish({ type: "execution.scheduled", projectId: principal.projectId, data });
  }
  wake();
  return { status: result.kind === "created" ? 201 : 200, body: execution };
}

function noExecution(id: string): PunctualError {
  return new PunctualError("not_found", `there is no execution "${id}"`);
}
