import type pg from "pg";
import { expect } from "vitest";

/** All rows of a project, and of those of its jobs and executions that are named, as text. */
export async function rowsOf(
  pool: pg.Pool,
  { projectId, jobs, executions }: { projectId: string; jobs: string[]; executions: string[] },
): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string; columns: string[] }>(
    `select format('%I.%I', c.table_schema, c.table_name) as name, array_agg(c.column_name::text) as columns
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'punctual' and t.table_type = 'BASE TABLE' and c.column_name in ('project_id', 'job_id', 'execution_id')
     group by 1`,
  );
  expect(tables.length).toBeGreaterThan(10);
  const owners = { project_id: [projectId], job_id: jobs, execution_id: executions };
  const rows: string[] = [];
  for (const { name, columns } of tables) {
    const owner = (["project_id", "job_id", "execution_id"] as const).find((column) => columns.includes(column))!;
    const found = await pool.query<{ text: string }>(
      `select t::text as text from ${name} t where ${owner} = any($1::uuid[])`,
      [owners[owner]],
    );
    rows.push(...found.rows.map(({ text }) => `${name} ${text}`));
  }
  return rows.toSorted();
}
