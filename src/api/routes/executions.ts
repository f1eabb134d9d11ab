import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { EXECUTION_STATES, executionSchema, TRIGGERS } from "../../contract/execution.ts";
import { jsonValue, text } from "../../contract/json.ts";
import { COUNT_MAX, type ExecutionFilter, type ExecutionInclude } from "../../store/port/executions.ts";
import { noJob } from "../job-change.ts";
import { anyOf, idOrName, instant, listSchema, pageQuery, tag, uuid } from "../parameters.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { executionFilter } from "../written-filter.ts";

const INCLUDES = ["attempts", "payload", "result"] as const satisfies ExecutionInclude[];

const filterFields = {
  state: anyOf(z.enum(EXECUTION_STATES), { enum: EXECUTION_STATES }).optional(),
  trigger: anyOf(z.enum(TRIGGERS), { enum: TRIGGERS }).optional(),
  from: instant.optional().describe("by runAt, included"),
  to: instant.optional().describe("by runAt, excluded"),
};
const filterQuery = z.strictObject({
  ...filterFields,
  jobId: anyOf(uuid, { format: "uuid" }).optional(),
  tag: anyOf(tag).optional().describe("of the job"),
});
const pageFields = {
  ...pageQuery,
  order: z.enum(["desc", "asc"]).default("desc"),
  include: anyOf(z.enum(INCLUDES), { enum: INCLUDES }).optional(),
};
const listQuery = z.strictObject({ ...filterQuery.shape, ...pageFields });
const jobListQuery = z.strictObject({ ...filterFields, ...pageFields });
const params = z.object({ id: uuid });
const retryBody = z.strictObject({
  version: z.enum(["current", "original"]).default("current"),
  payload: jsonValue.optional().describe("default: the one it had"),
});
const cancelBody = z.strictObject({ reason: text(1024).optional() });

const PAGE = { description: "A page of executions.", schema: listSchema(executionSchema) };
const EXECUTION = { description: "The execution.", schema: executionSchema };
const countsSchema = z.object({
  ...Object.fromEntries(EXECUTION_STATES.map((state) => [state, z.int()])),
  complete: z.boolean().describe(`false if a state has ${COUNT_MAX} or more, which are not counted further`),
});

export function executionRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/executions`,
      permission: "read",
      group: "Executions",
      summary: "List executions",
      query: listQuery,
      responses: { 200: PAGE },
      handler: async (call) => await listPage(call, executionFilter(call.query)),
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/executions`,
      permission: "read",
      group: "Executions",
      summary: "List the executions of a job",
      params: z.object({ id: idOrName }),
      query: jobListQuery,
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
      permission: "read",
      group: "Executions",
      summary: "Count executions by state",
      query: filterQuery,
      responses: { 200: { description: "How many there are in each state.", schema: countsSchema } },
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
      permission: "read",
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
      permission: "operate",
      group: "Executions",
      summary: "Cancel an execution, also a running one",
      params,
      body: cancelBody,
      responses: { 200: EXECUTION },
      handler: cancelExecution,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/executions/:id/retry`,
      permission: "operate",
      group: "Executions",
      summary: "Run an execution again, or its next attempt now",
      params,
      body: retryBody,
      responses: {
        200: { description: "It was retrying: its next attempt is due now.", schema: executionSchema },
        201: { description: "The new execution.", schema: executionSchema },
      },
      handler: retryExecution,
    }),
  ];
}

type PageQuery = z.infer<z.ZodObject<typeof pageFields>>;

async function listPage(
  { query, principal, store }: Call<unknown, PageQuery>,
  filter: ExecutionFilter,
): Promise<Answer> {
  const page = { order: query.order, after: query.cursor ?? null, limit: query.limit, include: query.include ?? [] };
  const { items, next } = await store.executions.list(principal.projectId, filter, page);
  return { status: 200, body: { items, nextCursor: next } };
}

async function cancelExecution(
  call: Call<z.infer<typeof params>, unknown, z.infer<typeof cancelBody>>,
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
  const { jobId, state, reason } = result.execution;
  publish({
    type: "execution.cancelled",
    projectId: principal.projectId,
    data: { jobId, executionId: id, state, reason },
  });
  wake();
  return { status: 200, body: result.execution };
}

async function retryExecution(call: Call<z.infer<typeof params>, unknown, z.infer<typeof retryBody>>): Promise<Answer> {
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
