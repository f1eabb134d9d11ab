import type { IdSource } from "../../core/ids.ts";
import type { ProjectStore } from "../port/projects.ts";
import type { SigningKeyStore } from "../port/signing-keys.ts";
import { type Queryable, statement, violatedConstraint } from "./database.ts";
import { deleteProject } from "./delete-project.ts";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";
import { type ProjectRow, toProject } from "./project-row.ts";
import { readClock } from "./read-due-cursors.ts";
import { isUuid } from "./read-job.ts";

export const insertProjectSql = statement(
  "insert_project",
  "insert into punctual.project as p (id, name, created_at) values ($1, $2, $3) returning p.id, p.name, p.created_at",
);

export const findProjectByIdSql = statement(
  "find_project_by_id",
  "select p.id, p.name, p.created_at from punctual.project p where p.id = $1 and p.deleted_at is null",
);

export const findProjectByNameSql = statement(
  "find_project_by_name",
  "select p.id, p.name, p.created_at from punctual.project p where p.name = $1 and p.deleted_at is null",
);

export const listProjectsSql = statement(
  "list_projects",
  `select p.id, p.name, p.created_at from punctual.project p
   where p.deleted_at is null and ($2::uuid is null or p.id < $2) order by p.id desc limit $1`,
);

export const renameProjectSql = statement(
  "rename_project",
  "update punctual.project p set name = $2 where p.id = $1 and p.deleted_at is null returning p.id, p.name, p.created_at",
);

/** The name of a new project's first signing key, as the default project has it. */
const SIGNING_KEY = "default";

export function projectStore(
  db: Queryable,
  ids: IdSource,
  signingKeysOn: (tx: Queryable) => SigningKeyStore,
): ProjectStore {
  const create = async (tx: Queryable, name: string, signingSecret: Buffer) => {
    const now = await readClock(tx);
    const [row] = await tx.run<ProjectRow>(insertProjectSql, [ids.next(now.getTime()), name, now]);
    await signingKeysOn(tx).create(row!.id, { name: SIGNING_KEY, use: "project", secret: signingSecret });
    return toProject(row!);
  };
  return {
    create: (name, signingSecret) => unlessNameTaken(() => db.transaction((tx) => create(tx, name, signingSecret))),
    find: async (idOrName) => {
      const [row] = await db.run<ProjectRow>(isUuid(idOrName) ? findProjectByIdSql : findProjectByNameSql, [idOrName]);
      return row ? toProject(row) : null;
    },
    list: async ({ after, limit }) => {
      const last = after === null ? null : cursorId(decodeCursor("projects", after)[0], after);
      const rows = await db.run<ProjectRow>(listProjectsSql, [limit + 1, last]);
      const items = rows.slice(0, limit).map(toProject);
      return { items, next: rows.length > limit ? encodeCursor("projects", [items.at(-1)!.id]) : null };
    },
    // A transaction of its own, so that a name that is taken does not spoil the caller's.
    rename: (id, name) =>
      unlessNameTaken(() =>
        db.transaction(async (tx) => {
          const [row] = await tx.run<ProjectRow>(renameProjectSql, [id, name]);
          return row ? toProject(row) : null;
        }),
      ),
    delete: (id) => db.transaction((tx) => deleteProject(tx, id)),
  };
}

async function unlessNameTaken<T>(work: () => Promise<T>): Promise<T | "name_taken"> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === "project_name") return "name_taken";
    throw error;
  }
}
