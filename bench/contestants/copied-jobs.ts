// Thousands of jobs at once: one that the product saved, copied in the database. Saving them one by one takes minutes, and is
// not what is measured.

import type pg from "pg";
import { copyRow, jobId } from "../support/copied-rows.ts";

/** As `jobId` makes them. */
const COPY = /^0190a000-0000-7000-8000-([0-9a-f]{12})$/;

/** Copies of the job of that name, one for each number. */
export async function copyJob(client: pg.ClientBase, name: string, range: { from: number; to: number }): Promise<void> {
  const where = `job_id = (select id from punctual.job where name = '${name}')`;
  const named = { id: jobId("g"), name: `'${name}-copy-' || g` };
  await client.query("begin");
  await copyRow(client, { table: "punctual.job", where: `name = '${name}'`, changed: named, ...range });
  // What planners look for comes last.
  for (const table of ["punctual.job_version", "punctual.gate", "punctual.cursor"])
    await copyRow(client, { table, where, changed: { job_id: jobId("g") }, ...range });
  await client.query("commit");
}

/** The number of a copy; null of what is none. */
export function numberOfCopy(id: string): number | null {
  const match = COPY.exec(id);
  return match === null ? null : Number.parseInt(match[1]!, 16);
}
