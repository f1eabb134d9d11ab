import { z } from "zod";
import { JOB_STATES, type Job, jobSchema } from "../../contract/job.ts";
import { text } from "../../contract/json.ts";
import { targetSchema } from "../../contract/target.ts";
import { JOB_SORTS } from "../../store/port/jobs.ts";
import type { ApiDeps } from "../deps.ts";
import { changed, expectedVersion, noJob } from "../job-change.ts";
import { etag, jobView, viewOne } from "../job-view.ts";
import { anyOf, flag, idOrName, listSchema, pageQuery, tag } from "../parameters.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { createJob, editJob, putJob, refuseTarget, tryJob } from "../save-job.ts";
import { jobFilter } from "../written-filter.ts";
import { jobBodySchema, jobInput, jobPatchSchema, jobPatchShown, newJobBodySchema, patch } from "../written-job.ts";

const LAST_EXECUTIONS = 10;

const listQuery = z.strictObject({
  state: anyOf(z.enum(JOB_STATES), { enum: JOB_STATES }).optional(),
  tag: anyOf(tag).optional(),
  q: text(200).optional().describe("part of the name or description, any case"),
  source: text(200).optional(),
  sort: z.enum(JOB_SORTS).default("-created"),
  include: anyOf(z.enum(["lastExecutions"]), { enum: ["lastExecutions"] }).optional(),
  ...pageQuery,
});

const params = z.object({ id: idOrName });
const JOB = { description: "The job; its ETag is its version.", schema: jobSchema };

export function jobRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/jobs`,
      permission: "read",
      group: "Jobs",
      summary: "List jobs",
      query: listQuery,
      responses: { 200: { description: "A page of jobs.", schema: listSchema(jobSchema) } },
      handler: listJobs,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/jobs`,
      permission: "write",
      group: "Jobs",
      summary: "Create a job",
      query: z.strictObject({ dryRun: flag }),
      body: newJobBodySchema,
      responses: { 200: { description: "The job that would be made (dryRun).", schema: jobSchema }, 201: JOB },
      handler: (call) => (call.query.dryRun ? tryJob : createJob)(deps, call, jobInput(call.body), call.body.paused),
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id`,
      permission: "read",
      group: "Jobs",
      summary: "Read a job",
      params,
      responses: { 200: JOB },
      handler: readJob,
    }),
    route({
      method: "PUT",
      path: `${PREFIX}/jobs/:id`,
      permission: "write",
      group: "Jobs",
      summary: "Replace a job; by name, create it if there is none",
      params,
      body: jobBodySchema,
      responses: { 200: JOB, 201: { description: "It was created.", schema: jobSchema } },
      handler: (call) => putJob(deps, call, call.params.id, jobInput(call.body)),
    }),
    route({
      method: "PATCH",
      path: `${PREFIX}/jobs/:id`,
      permission: "write",
      group: "Jobs",
      summary: "Change the named fields of a job, each as a whole",
      params,
      body: jobPatchSchema,
      bodyShown: jobPatchShown,
      responses: { 200: JOB },
      handler: async (call) => {
        // A target that is no target is refused with all its problems when the whole job is looked at.
        const target = targetSchema.safeParse(call.body.target);
        if (target.success) await refuseTarget(deps, call.principal, target.data);
        return await editJob(call, call.params.id, patch(call.body));
      },
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/jobs/:id`,
      permission: "write",
      group: "Jobs",
      summary: "Delete a job; its history stays",
      params,
      responses: { 204: { description: "It is deleted." } },
      handler: deleteJob,
    }),
  ];
}

async function listJobs({ query, principal, store }: Call<unknown, z.infer<typeof listQuery>>): Promise<Answer> {
  const page = { sort: query.sort, after: query.cursor ?? null, limit: query.limit };
  const { items, next } = await store.jobs.list(principal.projectId, jobFilter(query), page);
  const several = query.include !== undefined;
  const ids = items.map((job) => job.id);
  const latest = await store.executions.latest(principal.projectId, ids, several ? LAST_EXECUTIONS : 1);
  const view = items.map((job): Job => {
    const executions = latest.get(job.id) ?? [];
    return { ...jobView(job, executions), ...(several ? { lastExecutions: executions } : {}) };
  });
  return { status: 200, body: { items: view, nextCursor: next } };
}

async function readJob({ params: { id }, principal, store }: Call<z.infer<typeof params>>): Promise<Answer> {
  const job = await store.jobs.find(principal.projectId, id);
  if (job === null) throw noJob(id);
  return { status: 200, body: await viewOne(store, job), headers: etag(job.version) };
}

async function deleteJob({
  params: { id },
  principal,
  store,
  headers,
  publish,
  wake,
}: Call<z.infer<typeof params>>): Promise<Answer> {
  const options = { actor: principal.name, expectedVersion: expectedVersion(headers["if-match"]) };
  const { job } = changed(await store.jobs.delete(principal.projectId, id, options), id);
  publish({ type: "job.deleted", projectId: principal.projectId, data: { jobId: job.id, state: job.state } });
  wake();
  return { status: 204 };
}
