// A project goes in three statements: its row is locked against everything that is being made in it, then looked into, and
// then marked together with its keys. Whoever made a job or key in it meanwhile is waited for and seen.

import type { ProjectDeletion } from "../port/projects.ts";
import { type Queryable, statement } from "./database.ts";
import { type ProjectRow, toProject } from "./project-row.ts";

/** `for update`, unlike a plain update of the row, also waits for those who entered the project. */
export const lockProjectSql = statement(
  "lock_project",
  "select p.id, p.name, p.created_at from punctual.project p where p.id = $1 and p.deleted_at is null for update",
);

export const countLivingJobsSql = statement(
  "count_living_jobs",
  `select count(*) as n from (
     select from punctual.job j where j.project_id = $1 and j.state = any(array['active', 'paused', 'completed']) limit 1000
   ) as living`,
);

export const markProjectDeletedSql = statement(
  "mark_project_deleted",
  "update punctual.project set deleted_at = clock_timestamp() where id = $1",
);

export const revokeApiKeysSql = statement(
  "revoke_api_keys",
  `update punctual.api_key set revoked_at = clock_timestamp() where project_id = $1 and revoked_at is null returning id`,
);

export async function deleteProject(tx: Queryable, id: string): Promise<ProjectDeletion> {
  const [row] = await tx.run<ProjectRow>(lockProjectSql, [id]);
  if (row === undefined) return { kind: "not_found" };
  const [living] = await tx.run<{ n: number }>(countLivingJobsSql, [id]);
  if (living!.n > 0) return { kind: "has_jobs", project: toProject(row), jobs: living!.n };
  await tx.run(markProjectDeletedSql, [id]);
  const revoked = await tx.run(revokeApiKeysSql, [id]);
  return { kind: "deleted", project: toProject(row), revokedKeys: revoked.length };
}
