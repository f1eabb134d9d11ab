import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { jobInputSchema, jobSchema } from "../../contract/job.ts";
import { jobVersionListQuery, jobVersionSchema } from "../../contract/job-version.ts";
import { pageSchema } from "../../contract/page.ts";
import { idOrName } from "../../contract/parameters.ts";
import { parseOrThrow } from "../../contract/validate.ts";
import { replacement } from "../../core/stored-job.ts";
import type { JobRecord, JobVersion } from "../../store/port/jobs.ts";
import type { Store } from "../../store/port.ts";
import type { ApiDeps } from "../deps.ts";
import { noJob } from "../job-change.ts";
import { specView } from "../job-view.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { editJob, refuseTarget } from "../save-job.ts";
import { notTooOften } from "../too-often.ts";

const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)
  .meta({ type: "integer", minimum: 1 });
const ofJob = z.object({ id: idOrName });
const ofVersion = z.object({ id: idOrName, n: versionNumber });
export function jobVersionRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/versions`,
      group: "Jobs",
      summary: "List the versions of a job",
      params: ofJob,
      query: jobVersionListQuery,
      responses: { 200: { description: "A page of versions, newest first.", schema: pageSchema(jobVersionSchema) } },
      handler: listVersions,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/versions/:n`,
      group: "Jobs",
      summary: "Read a version of a job",
      params: ofVersion,
      responses: { 200: { description: "The version.", schema: jobVersionSchema } },
      handler: async ({ params, principal, store }) => {
        const { version } = await findVersion(store, principal.projectId, params);
        return { status: 200, body: versionView(version) };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/jobs/:id/versions/:n/restore`,
      group: "Jobs",
      summary: "Make an old version the newest",
      params: ofVersion,
      body: z.strictObject({}),
      responses: { 200: { description: "The job.", schema: jobSchema } },
      handler: async (call) => {
        const { job, version } = await findVersion(call.store, call.principal.projectId, call.params);
        await refuseTarget(deps, call, version.spec.target);
        const input = parseOrThrow(jobInputSchema, specView(version.spec));
        const edit = replacement(input, () => version.spec.name);
        return await editJob(call, job.id, notTooOften(deps, edit));
      },
    }),
  ];
}

async function listVersions(call: Call<z.infer<typeof ofJob>, z.infer<typeof jobVersionListQuery>>): Promise<Answer> {
  const {
    params: { id },
    query,
    principal,
    store,
  } = call;
  const job = await findJob(store, principal.projectId, id);
  const after = query.cursor === undefined ? null : versionNumber.safeParse(query.cursor);
  if (after !== null && !after.success)
    throw new PunctualError(
      "invalid_cursor",
      `the cursor "${query.cursor?.slice(0, 100)}" was not given out by this list`,
    );
  const page = { after: after?.data ?? null, limit: query.limit };
  const { items, next } = await store.jobs.versions(principal.projectId, job.id, page);
  return { status: 200, body: { items: items.map(versionView), nextCursor: next === null ? null : String(next) } };
}

async function findVersion(
  store: Store,
  projectId: string,
  { id, n }: z.infer<typeof ofVersion>,
): Promise<{ job: JobRecord; version: JobVersion }> {
  const job = await findJob(store, projectId, id);
  const version = await store.jobs.version(projectId, job.id, n);
  if (version === null) throw new PunctualError("not_found", `the job "${id}" has no version ${n}`);
  return { job, version };
}

async function findJob(store: Store, projectId: string, called: string): Promise<JobRecord> {
  const job = await store.jobs.find(projectId, called);
  if (job === null) throw noJob(called);
  return job;
}

function versionView({ version, createdAt, createdBy, source, spec }: JobVersion) {
  return { version, createdAt: createdAt.toISOString(), createdBy, source, spec: specView(spec) };
}
