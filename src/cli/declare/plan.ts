// What applying the files would do. Every job is tried on the server without keeping anything, so that a plan names all
// that is wrong before anything is done, and so that "unchanged" is the server's word.

import { PunctualApiError, type PunctualClient } from "../../client/index.ts";
import type { Job } from "../../contract/job.ts";
import type { Declared, DeclaredJob } from "./declared-file.ts";
import { isFields } from "./defaults.ts";
import type { FileProblem } from "./documents.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { inParallel } from "./in-parallel.ts";

/** Enough to hide the way to the server, few enough to leave it room for others. */
const TRIES_AT_ONCE = 12;
const PAGE = 200;
/** How far back the last version from the source is looked for. */
const VERSIONS_LOOKED_AT = 50;

/** The latest change of a job that did not come from its source. */
export interface Drift {
  version: number;
  by: string | null;
  at: string;
  source: string | null;
}

export type Step =
  | { kind: "create"; declared: DeclaredJob; would: Job }
  | {
      kind: "change";
      declared: DeclaredJob;
      current: Job;
      would: Job;
      fields: FieldChange[];
      drift: Drift | null;
      /** Whose it was, if it is taken over: null if it was made by hand. */
      adoptedFrom: string | null | undefined;
    }
  /** `confirm`: it was changed by hand into what the file says, and the server is to know that the file says so too. */
  | { kind: "unchanged"; declared: DeclaredJob; current: Job; confirm: boolean }
  /** It belongs to a source of the files, which do not declare it any more. */
  | { kind: "prune"; current: Job }
  | { kind: "refused"; declared: DeclaredJob; problems: FileProblem[] };

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;

export interface Plan {
  steps: Step[];
}

export interface PlanOptions {
  /** Takes over jobs that were made by hand or belong to another source. */
  adopt: boolean;
  onProgress?: (done: number, of: number) => void;
}

export async function makePlan(client: PunctualClient, declared: Declared, options: PlanOptions): Promise<Plan> {
  const present = await presentJobs(client, declared);
  const { jobs } = declared;
  const onDone = (done: number) => options.onProgress?.(done, jobs.length);
  const steps = await inParallel(jobs, { atOnce: TRIES_AT_ONCE, onDone }, (job) =>
    stepFor(client, job, present.get(job.name) ?? null, options),
  );
  const names = new Set(jobs.map(({ name }) => name));
  const gone = [...present.values()].filter(({ name }) => !names.has(name));
  return { steps: [...steps, ...gone.map((current): Step => ({ kind: "prune", current }))] };
}

export function stepsOf<Kind extends Step["kind"]>({ steps }: Plan, kind: Kind): StepOf<Kind>[] {
  return steps.filter((step): step is StepOf<Kind> => step.kind === kind);
}

/** The jobs of the sources as they are, by name. */
async function presentJobs(client: PunctualClient, { sources }: Declared): Promise<Map<string, Job>> {
  const present = new Map<string, Job>();
  for (const { source } of sources)
    for await (const job of client.jobs.all({ source, limit: PAGE, sort: "name" })) present.set(job.name, job);
  return present;
}

async function stepFor(
  client: PunctualClient,
  declared: DeclaredJob,
  listed: Job | null,
  { adopt }: PlanOptions,
): Promise<Step> {
  let would: Job;
  try {
    would = await tryJob(client, declared, adopt);
  } catch (error) {
    if (!(error instanceof PunctualApiError) || !isAboutTheJob(error, declared)) throw error;
    return { kind: "refused", declared, problems: problemsOf(error, declared) };
  }
  const current = listed ?? (adopt ? await findJob(client, declared.name) : null);
  if (current === null) return { kind: "create", declared, would };
  const adoptedFrom = current.source === declared.source ? undefined : current.source;
  const fields = fieldChanges(current, would);
  // Fields that are hidden or that this program does not know may differ as well: the version is the server's word.
  const same = would.version === current.version;
  if (same && adoptedFrom === undefined) return { kind: "unchanged", declared, current, confirm: current.drifted };
  const drift = current.drifted ? await findDrift(client, current) : null;
  return { kind: "change", declared, current, would, fields, drift, adoptedFrom };
}

async function tryJob(client: PunctualClient, { name, fields, source }: DeclaredJob, adopt: boolean): Promise<Job> {
  return await client.jobs.put(name, fields as never, { dryRun: true, source, adopt });
}

async function findJob(client: PunctualClient, name: string): Promise<Job | null> {
  try {
    return await client.jobs.get(name);
  } catch (error) {
    if (error instanceof PunctualApiError && error.status === 404) return null;
    throw error;
  }
}

/** Null if somebody changed it by hand and put it back as it was declared. */
async function findDrift(client: PunctualClient, job: Job): Promise<Drift | null> {
  const { items } = await client.jobs.versions(job.id, { limit: VERSIONS_LOOKED_AT });
  const latest = items.find(({ version }) => version === job.version);
  const declared = items.find(({ source }) => source === job.source);
  if (latest === undefined) return null;
  if (declared !== undefined && fieldChanges(declared.spec, latest.spec).length === 0) return null;
  return { version: latest.version, by: latest.createdBy, at: latest.createdAt, source: latest.source };
}

/** Wrong in itself, not because the server or the key is. Commands need a key with more rights than other jobs. */
function isAboutTheJob({ status }: PunctualApiError, { fields: { target } }: DeclaredJob): boolean {
  if (status === 403) return isFields(target) && target.type === "shell";
  return [400, 409, 413].includes(status);
}

export function problemsOf(error: PunctualApiError, { name, placeOf }: DeclaredJob): FileProblem[] {
  if (error.details.length === 0) {
    const remedy = error.code === "wrong_source" ? " (--adopt)" : "";
    return [{ place: placeOf(""), job: name, field: null, message: `${error.reason}${remedy}` }];
  }
  return error.details.map(({ path, message }) => ({ place: placeOf(path), job: name, field: path, message }));
}
