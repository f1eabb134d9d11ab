import { randomBytes } from "node:crypto";
import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { idOrName, pageQuery } from "../../contract/parameters.ts";
import {
  DEFAULT_PROJECT,
  newProjectSchema,
  type Project,
  projectPatchSchema,
  projectSchema,
} from "../../contract/project.ts";
import type { ProjectRecord } from "../../store/port/projects.ts";
import type { Store } from "../../store/port.ts";
import { untilForgotten } from "../brief-memory.ts";
import type { ApiDeps } from "../deps.ts";
import type { Principal } from "../principal.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";

const SIGNING_SECRET_BYTES = 32;

const params = z.object({ id: idOrName.meta({ type: "string", description: "a project's id or name" }) });
type Params = z.infer<typeof params>;
const listQuery = z.strictObject(pageQuery);
const PROJECT = { description: "The project.", schema: projectSchema };

export function projectRoutes({ log }: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/projects`,
      group: "Projects",
      summary: "List projects, newest first: all for an instance admin, its own for any other key",
      query: listQuery,
      responses: { 200: { description: "A page of projects.", schema: pageSchema(projectSchema) } },
      handler: listProjects,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/projects`,
      group: "Projects",
      summary: "Create a project",
      body: newProjectSchema,
      responses: { 201: PROJECT },
      handler: async ({ body: { name }, principal, store, note }) => {
        const project = await store.projects.create(name, randomBytes(SIGNING_SECRET_BYTES));
        if (project === "name_taken") throw nameTaken(name);
        note({ ...noted(project), after: { name } });
        log.info("project.created", { projectId: project.id, name, by: principal.name });
        return { status: 201, body: view(project), headers: { location: `${PREFIX}/projects/${project.id}` } };
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/projects/:id`,
      group: "Projects",
      summary: "Read a project",
      params,
      responses: { 200: PROJECT },
      handler: async ({ params: { id }, principal, store }) => ({
        status: 200,
        body: view(await visible(store, principal, id)),
      }),
    }),
    route({
      method: "PATCH",
      path: `${PREFIX}/projects/:id`,
      group: "Projects",
      summary: "Rename a project",
      params,
      body: projectPatchSchema,
      responses: { 200: PROJECT },
      handler: async (call) => {
        const project = await rename(call);
        log.info("project.renamed", { projectId: project.id, name: project.name, by: call.principal.name });
        return { status: 200, body: view(project) };
      },
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/projects/:id`,
      group: "Projects",
      summary: "Delete a project that has no jobs any more; its keys are revoked, its history stays",
      params,
      responses: { 204: { description: "It is deleted." } },
      handler: async (call) => {
        const { project, revokedKeys } = await remove(call);
        log.info("project.deleted", {
          projectId: project.id,
          name: project.name,
          revokedKeys,
          by: call.principal.name,
        });
        return { status: 204 };
      },
    }),
  ];
}

async function listProjects({ query, principal, store }: Call<unknown, z.infer<typeof listQuery>>): Promise<Answer> {
  const page = { after: query.cursor ?? null, limit: query.limit };
  const { items, next } = principal.instanceAdmin
    ? await store.projects.list(page)
    : { items: await ownProjects(store, principal), next: null };
  return { status: 200, body: { items: items.map(view), nextCursor: next } };
}

async function ownProjects(store: Store, principal: Principal): Promise<ProjectRecord[]> {
  const ids = principal.session?.memberships.map(({ projectId }) => projectId) ?? [principal.projectId];
  const found = await Promise.all(ids.filter((id) => id !== "").map((id) => store.projects.find(id)));
  return found.filter((project) => project !== null);
}

/** Foreign ones are not there, unless one sees to the instance. */
async function visible(store: Store, principal: Principal, id: string): Promise<ProjectRecord> {
  const projects = [principal, ...(principal.session?.memberships ?? [])];
  const mine = projects.some(({ projectId, projectName }) => id === projectId || id === projectName);
  const project = mine || principal.instanceAdmin ? await store.projects.find(id) : null;
  if (project === null) throw noProject(id);
  return project;
}

async function rename({
  params: { id },
  body,
  store,
  note,
  beforeAnswer,
}: Call<Params, unknown, z.infer<typeof projectPatchSchema>>) {
  const project = await store.projects.find(id);
  if (project === null) throw noProject(id);
  const { name = project.name } = body;
  if (name === project.name) return project;
  const before = { name: project.name };
  refuseDefault(project, "renamed");
  const renamed = await store.projects.rename(project.id, name);
  if (renamed === "name_taken") throw nameTaken(name);
  if (renamed === null) throw noProject(id);
  note({ ...noted(renamed), before, after: { name } });
  // Keys are remembered together with the name of their project.
  beforeAnswer(untilForgotten);
  return renamed;
}

async function remove({ params: { id }, store, note, beforeAnswer }: Call<Params>) {
  const project = await store.projects.find(id);
  if (project === null) throw noProject(id);
  refuseDefault(project, "deleted");
  const result = await store.projects.delete(project.id);
  if (result.kind === "not_found") throw noProject(id);
  if (result.kind === "has_jobs")
    throw new PunctualError(
      "wrong_state",
      `the project "${project.name}" has jobs that are not deleted (${result.jobs}); delete them first`,
    );
  note({ ...noted(result.project), after: { revokedKeys: result.revokedKeys } });
  beforeAnswer(untilForgotten);
  return result;
}

/** What becomes of a project is the instance's business: its own audit may go with it. */
function noted({ id, name }: ProjectRecord) {
  return { kind: "project", id, name, projectId: null };
}

function refuseDefault({ id, name }: ProjectRecord, what: string): void {
  if (id !== DEFAULT_PROJECT.id) return;
  throw new PunctualError(
    "wrong_state",
    `the project "${name}" cannot be ${what}: keys from the settings belong to it`,
  );
}

function noProject(called: string): PunctualError {
  return new PunctualError("not_found", `there is no project "${called}", or the key does not belong to it`);
}

function nameTaken(name: string): PunctualError {
  return new PunctualError("name_taken", `there is another project called "${name}"`);
}

function view({ id, name, createdAt }: ProjectRecord): Project {
  return { id, name, createdAt: createdAt.toISOString() };
}
