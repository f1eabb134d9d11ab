import { z } from "zod";
import { executionSchema } from "../../contract/execution.ts";
import { jobSchema } from "../../contract/job.ts";
import { idOrName } from "../../contract/parameters.ts";
import { pauseInput } from "../../contract/pause.ts";
import { nextQuery, schedulePreviewSchema } from "../../contract/schedule-preview.ts";
import { triggerInput } from "../../contract/trigger.ts";
import { preview } from "../../core/schedule/preview.ts";
import { checkTriggers, triggerRequest } from "../../core/written-trigger.ts";
import { withCrowdNote } from "../crowd-notes.ts";
import { changed, foundJob, noJob } from "../job-change.ts";
import { etag, noted, viewChanged } from "../job-view.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { runTrigger, runTriggerOnce } from "../run-triggers.ts";

const params = z.object({ id: idOrName });
const JOB = { description: "The job.", schema: jobSchema };

export function jobActionRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/jobs/:id/pause`,
      group: "Jobs",
      summary: "Pause a job; nothing of it starts any more",
      params,
      body: pauseInput,
      responses: { 200: JOB },
      handler: pauseJob,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/jobs/:id/resume`,
      group: "Jobs",
      summary: "Resume a paused job",
      params,
      body: z.strictObject({}),
      responses: { 200: JOB },
      handler: resumeJob,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/jobs/:id/trigger`,
      group: "Jobs",
      summary: "Run a job, now or later",
      params,
      body: triggerInput,
      responses: {
        200: { description: "The execution that the same key made before.", schema: executionSchema },
        201: { description: "The execution.", schema: executionSchema },
      },
      // A key of the trigger's own is another matter, and what is past by now was not when it was asked for first.
      idempotency: ({ key, runAt }) => (key === undefined && runAt === undefined ? "own" : "inside"),
      handler: triggerJob,
    }),
    route({
      method: "GET",
      path: `${PREFIX}/jobs/:id/next`,
      group: "Jobs",
      summary: "The next instants of a job's schedule",
      params,
      query: nextQuery,
      responses: { 200: { description: "The instants.", schema: schedulePreviewSchema } },
      handler: nextInstants,
    }),
  ];
}

type OfJob<Query = unknown, Body = unknown> = Call<z.infer<typeof params>, Query, Body>;

async function pauseJob({
  params: { id },
  body,
  principal,
  store,
  publish,
  wake,
  note,
}: OfJob<unknown, z.infer<typeof pauseInput>>): Promise<Answer> {
  const options = { actor: principal.name, reason: body.reason, until: body.until };
  const { job } = changed(await store.jobs.pause(principal.projectId, id, options), id);
  note({ ...noted(job), after: job.pause });
  publish({ type: "job.paused", projectId: principal.projectId, data: { jobId: job.id, state: job.state } });
  wake();
  return { status: 200, body: await viewChanged(store, job), headers: etag(job.version) };
}

async function resumeJob({ params: { id }, principal, store, publish, wake, note }: OfJob): Promise<Answer> {
  const { job } = changed(await store.jobs.resume(principal.projectId, id, { actor: principal.name }), id);
  note(noted(job));
  publish({ type: "job.resumed", projectId: principal.projectId, data: { jobId: job.id, state: job.state } });
  wake();
  return { status: 200, body: await viewChanged(store, job), headers: etag(job.version) };
}

async function triggerJob(call: OfJob<unknown, z.infer<typeof triggerInput>>): Promise<Answer> {
  const {
    params: { id },
    body,
    keyed,
  } = call;
  await checkTriggers(call.store, [body], () => "");
  if (keyed !== null) return await runTriggerOnce(call, triggerRequest(id, body), keyed, () => noJob(id));
  const { execution, deduplicated } = await runTrigger(call, triggerRequest(id, body), () => noJob(id));
  if (!deduplicated)
    call.note({ kind: "job", id: execution.jobId, name: execution.jobName, after: { executionId: execution.id } });
  return { status: deduplicated ? 200 : 201, body: execution };
}

async function nextInstants({
  params: { id },
  query,
  principal,
  store,
}: OfJob<z.infer<typeof nextQuery>>): Promise<Answer> {
  const { projectId } = principal;
  const job = foundJob(await store.jobs.find(projectId, id), id);
  const { schedule } = job.spec;
  const after = (query.from ?? (await store.now())).getTime();
  const anchor = job.createdAt.getTime();
  const shown = preview(schedule, { anchor, after, count: query.count, maxRuns: schedule?.maxRuns ?? null });
  return { status: 200, body: await withCrowdNote(shown, { store, projectId, schedule, job: job.id }) };
}
