import { z } from "zod";
import { jobSchema, sourceSchema } from "../../contract/job.ts";
import { jobCountsQuery, jobCountsSchema } from "../../contract/job-counts.ts";
import { jobListQuery, jobQuery } from "../../contract/job-list.ts";
import { pageSchema } from "../../contract/page.ts";
import { flag, idOrName } from "../../contract/parameters.ts";
import { targetSchema } from "../../contract/target.ts";
import type { ApiDeps } from "../deps.ts";
import { changed, expectedVersion, noJob } from "../job-change.ts";
import { etag, noted, specView, viewMany } from "../job-view.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { createJob, editJob, putJob, refuseTarget } from "../save-job.ts";
import { notTooOften } from "../too-often.ts";
import { tryCreate, tryPut } from "../try-job.ts";
import { jobFilter } from "../written-filter.ts";
import { jobBodySchema, jobInput, jobPatchSchema, jobPatchShown, newJobBodySchema, patch } from "../written-job.ts";

const putQuery = z.strictObject({
  dryRun: flag,
  source: sourceSchema.optional().describe("the declaration this comes from: it may replace its own jobs only"),
  adopt: flag.describe("with source: take over a job that was made by hand or belongs to another"),
});
const deleteQuery = z.strictObject({ source: sourceSchema.optional().describe("only if it belongs to this source") });

const params = z.object({ id: idOrName });
const JOB = { description: "The job; its ETag is its version.", schema: jobSchema };

export function jobRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/jobs`,
      group: "Jobs",
      summary: "List jobs",
      query: jobListQuery,
      responses: { 200: { description: "A page of jobs.", schema: pageSchema(jobSchema) } },
      handler: listJobs,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/jobs`,
      group: "Jobs",
      summary: "Create a job",
      query: z.strictObject({ dryRun: flag, source: sourceSchema.optional() }),
      body: newJobBodySchema,
      responses: { 200: { description: "The job that would be made (dryRun).", schema: jobSchema }, 201: JOB },
      handler: (call) => {
        const { dryRun, source } = call.query;
        return (dryRun ? tryCreate : createJob)(deps, call, jobInput(call.body), { paused: call.body.paused, source });
      },
    }),
    // Not under /jobs, where it would hide a job of that name.
    route({
      method: "GET",
      path: `${PREFIX}/job-counts`,
      group: "Jobs",
      summary: "Count jobs by state and by tag",
      query: jobCountsQuery,
      responses: { 200: { description: "How many there are, and the tags they have.", schema: jobCountsSchema } },
      handler: async ({ query, principal, store }) => ({
        status: 200,
        body: await store.jobs.counts(principal.projectId, jobFilter(query)),
      }),
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id`,
      group: "Jobs",
      summary: "Read a job",
      params,
      query: jobQuery,
      responses: { 200: JOB },
      handler: readJob,
    }),
    route({
      method: "PUT",
      path: `${PREFIX}/jobs/:id`,
      group: "Jobs",
      summary: "Replace a job; by name, create it if there is none",
      params,
      query: putQuery,
      body: jobBodySchema,
      responses: {
        200: { description: "The job, or what it would be (dryRun); its ETag is its version.", schema: jobSchema },
        201: { description: "It was created.", schema: jobSchema },
      },
      handler: (call) => {
        const { dryRun, ...declaration } = call.query;
        return (dryRun ? tryPut : putJob)(deps, call, call.params.id, jobInput(call.body), declaration);
      },
    }),
    route({
      method: "PATCH",
      path: `${PREFIX}/jobs/:id`,
      group: "Jobs",
      summary: "Change the named fields of a job, each as a whole",
      params,
      body: jobPatchSchema,
      bodyShown: jobPatchShown,
      responses: { 200: JOB },
      handler: async (call) => {
        // A target that is no target is refused with all its problems when the whole job is looked at.
        const target = targetSchema.safeParse(call.body.target);
        if (target.success) await refuseTarget(deps, call, target.data);
        return await editJob(call, call.params.id, notTooOften(deps, patch(call.body)));
      },
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/jobs/:id`,
      group: "Jobs",
      summary: "Delete a job; its history stays",
      params,
      query: deleteQuery,
      responses: { 204: { description: "It is deleted." } },
      handler: deleteJob,
    }),
  ];
}

async function listJobs({ query, principal, store }: Call<unknown, z.infer<typeof jobListQuery>>): Promise<Answer> {
  const page = { sort: query.sort, after: query.cursor ?? null, limit: query.limit };
  const { items, next } = await store.jobs.list(principal.projectId, jobFilter(query), page);
  return {
    status: 200,
    body: { items: await viewMany(store, principal.projectId, items, query.include), nextCursor: next },
  };
}

async function readJob({
  params: { id },
  query: { include },
  principal,
  store,
}: Call<z.infer<typeof params>, z.infer<typeof jobQuery>>): Promise<Answer> {
  const job = await store.jobs.find(principal.projectId, id);
  if (job === null) throw noJob(id);
  const [body] = await viewMany(store, principal.projectId, [job], include);
  return { status: 200, body, headers: etag(job.version) };
}

async function deleteJob({
  params: { id },
  query: { source },
  principal,
  store,
  headers,
  publish,
  wake,
  note,
}: Call<z.infer<typeof params>, z.infer<typeof deleteQuery>>): Promise<Answer> {
  const options = { actor: principal.name, expectedVersion: expectedVersion(headers["if-match"]), source };
  const { job } = changed(await store.jobs.delete(principal.projectId, id, options), id);
  note({ ...noted(job), before: specView(job.spec) });
  publish({ type: "job.deleted", projectId: principal.projectId, data: { jobId: job.id, state: job.state } });
  wake();
  return { status: 204 };
}
