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
import type { ApiDeps } from "../deps.ts";
import type { Principal } from "../principal.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { untilForgotten } from "../stored-keys.ts";

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
      permission: "read",
      group: "Projects",
      summary: "List projects, newest first: all for an instance admin, its own for any other key",
      query: listQuery,
      responses: { 200: { description: "A page of projects.", schema: pageSchema(projectSchema) } },
      handler: listProjects,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/projects`,
      permission: "instance",
      group: "Projects",
      summary: "Create a project",
      body: newProjectSchema,
      responses: { 201: PROJECT },
      handler: async ({ body: { name }, principal, store }) => {
        const project = await store.projects.create(name, randomBytes(SIGNING_SECRET_BYTES));
        if (project === "name_taken") throw nameTaken(name);
        log.info("project.created", { projectId: project.id, name, by: principal.name });
        return { status: 201, body: view(project), headers: { location: `${PREFIX}/projects/${project.id}` } };
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/projects/:id`,
      permission: "read",
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
      permission: "instance",
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
      permission: "instance",
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
  const { items, next } = principal.instanceAdmin
    ? await store.projects.list({ after: query.cursor ?? null, limit: query.limit })
    : { items: [await visible(store, principal, principal.projectId)], next: null };
  return { status: 200, body: { items: items.map(view), nextCursor: next } };
}

/** Foreign ones are not there, unless one sees to the instance. */
async function visible(store: Store, principal: Principal, id: string): Promise<ProjectRecord> {
  const mine = id === principal.projectId || id === principal.projectName;
  const project = mine || principal.instanceAdmin ? await store.projects.find(id) : null;
  if (project === null) throw noProject(id);
  return project;
}

async function rename({ params: { id }, body, store }: Call<Params, unknown, z.infer<typeof projectPatchSchema>>) {
  const project = await store.projects.find(id);
  if (project === null) throw noProject(id);
  const { name = project.name } = body;
  if (name === project.name) return project;
  refuseDefault(project, "renamed");
  const renamed = await store.projects.rename(project.id, name);
  if (renamed === "name_taken") throw nameTaken(name);
  if (renamed === null) throw noProject(id);
  // Keys are remembered together with the name of their project.
  await untilForgotten();
  return renamed;
}

async function remove({ params: { id }, store }: Call<Params>) {
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
  await untilForgotten();
  return result;
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
