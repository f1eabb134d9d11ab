import { PunctualError } from "../contract/errors.ts";
import type { JobInput } from "../contract/job.ts";
import type { HttpTarget, ShellTarget, Target } from "../contract/target.ts";
import { replacement } from "../core/stored-job.ts";
import type { SpecEditor } from "../store/port/jobs.ts";
import type { ApiDeps } from "./deps.ts";
import { changed, expectedVersion } from "./job-change.ts";
import { etag, noted, specView, viewChanged, viewNew } from "./job-view.ts";
import { demand, type Principal } from "./principal.ts";
import { type Answer, type Call, PREFIX } from "./route.ts";
import { refuseUnknownNames } from "./target-names.ts";
import { notTooOften } from "./too-often.ts";
import { nameFor } from "./written-job.ts";

/** A name can be given away and taken again between looking and writing, but hardly this often. */
const UPSERT_TRIES = 5;

export type Caller = Pick<Call, "principal" | "store" | "publish" | "wake" | "headers" | "note">;

/** The declaration that a change comes from. Without a source it is made by hand. */
export interface Declaration {
  source?: string | undefined;
  /** Takes over a job that was made by hand or belongs to another. */
  adopt?: boolean;
}

export async function createJob(
  deps: ApiDeps,
  caller: Caller,
  input: JobInput,
  { paused, source }: { paused: boolean; source: string | undefined },
): Promise<Answer> {
  await refuseTarget(deps, caller, input.target);
  await deps.jobRoom.demand(caller.principal.projectId, caller.store);
  return await create(caller, newJob(deps, input), input.name ?? "", { paused, source });
}

/** By id: replaces. By name: replaces, or creates what is not there. */
export async function putJob(
  deps: ApiDeps,
  caller: Caller,
  called: string,
  input: JobInput,
  declaration: Declaration,
): Promise<Answer> {
  await refuseTarget(deps, caller, input.target);
  refuseOtherName(called, input);
  const { source } = declaration;
  const edit = notTooOften(
    deps,
    replacement(input, (current) => current ?? called),
  );
  for (let tries = 1; createsMissing(caller, called) && tries < UPSERT_TRIES; tries += 1) {
    const existing = await caller.store.jobs.find(caller.principal.projectId, called);
    if (existing === null) await deps.jobRoom.demand(caller.principal.projectId, caller.store);
    try {
      return existing === null
        ? await create(caller, edit, called, { paused: false, source })
        : await editJob(caller, called, edit, declaration);
    } catch (error) {
      const lostRace =
        error instanceof PunctualError && error.code === (existing === null ? "name_taken" : "not_found");
      if (!lostRace) throw error;
    }
  }
  return await editJob(caller, called, edit, declaration);
}

/** A PUT that says which version it saw, or which id it means, speaks of a job that is there. */
export function createsMissing({ headers }: Pick<Caller, "headers">, called: string): boolean {
  return !isId(called) && headers["if-match"] === undefined;
}

export function refuseOtherName(called: string, { name }: JobInput): void {
  if (isId(called) || name === undefined || name === called) return;
  const message = `is "${name}" in the body and "${called}" in the path; rename a job by its id or with PATCH`;
  throw PunctualError.validation([{ path: "name", code: "name_mismatch", message, value: name }]);
}

export async function editJob(
  caller: Caller,
  called: string,
  edit: SpecEditor,
  declaration: Declaration = {},
): Promise<Answer> {
  const { principal, store, headers, publish, wake, note } = caller;
  const options = { actor: principal.name, expectedVersion: expectedVersion(headers["if-match"]), ...declaration };
  const { job, value } = changed(await store.jobs.edit(principal.projectId, called, edit, options), called);
  if (value === "updated") {
    const before = await store.jobs.version(principal.projectId, job.id, job.version - 1);
    note({ ...noted(job), before: before && specView(before.spec), after: specView(job.spec) });
    publish({ type: "job.updated", projectId: principal.projectId, data: { jobId: job.id, state: job.state } });
    wake();
  }
  return { status: 200, body: await viewChanged(store, job), headers: etag(job.version) };
}

/** Refuses a target that could never be called, or that this caller may not have called. */
export async function refuseTarget(
  deps: ApiDeps,
  { principal, store }: Pick<Caller, "principal" | "store">,
  target: Target,
): Promise<void> {
  if (target.type === "shell") refuseShell(deps, principal, target);
  if (target.type === "http") await refuseEgress(deps, target);
  await refuseUnknownNames(store, principal.projectId, target);
}

async function refuseEgress(deps: ApiDeps, target: HttpTarget): Promise<void> {
  const message = await deps.checkEgress(target.url);
  if (message !== null)
    throw PunctualError.validation([{ path: "target.url", code: "egress_denied", message, value: target.url }]);
}

/** A command runs with the rights of a node: its operator must have allowed it, and whoever saves it must be an admin. */
function refuseShell({ shell }: ApiDeps, principal: Principal, target: ShellTarget): void {
  // As the node's own user it could read the node's keys, and with them every project.
  demand(principal, shell.users.length > 0 ? "admin" : "instance");
  const refuse = (path: string, code: string, message: string, value: string) =>
    PunctualError.validation([{ path: `target.${path}`, code, message, value }]);
  if (!shell.on)
    throw refuse("type", "shell_off", "is turned off; the operator may turn it on with PUNCTUAL_SHELL=on", "shell");
  if (target.user !== undefined && !shell.users.includes(target.user))
    throw refuse("user", "user_not_allowed", "is not one of PUNCTUAL_SHELL_USERS", target.user);
}

async function create(
  caller: Caller,
  edit: SpecEditor,
  called: string,
  { paused, source = null }: { paused: boolean; source: string | null | undefined },
): Promise<Answer> {
  const { principal, store, publish, wake, note } = caller;
  const result = await store.jobs.create(principal.projectId, edit, { actor: principal.name, source, paused });
  const { job } = changed(result, called);
  note({ ...noted(job), after: specView(job.spec) });
  publish({ type: "job.created", projectId: principal.projectId, data: { jobId: job.id, state: job.state } });
  wake();
  return {
    status: 201,
    body: await viewNew(store, job),
    headers: { ...etag(job.version), location: `${PREFIX}/jobs/${job.id}` },
  };
}

/** What a client wrote as a job that is not there yet. */
export function newJob(deps: ApiDeps, input: JobInput): SpecEditor {
  const made = () => `once-${deps.ids.next(deps.clock().getTime()).slice(-12)}`;
  return notTooOften(deps, replacement(input, nameFor(input, made)));
}

function isId(called: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(called);
}
