// A job as a file: YAML or JSON, which YAML takes too.

import { text as readAll } from "node:stream/consumers";
import { stringify } from "yaml";
import { type Job, READ_ONLY_FIELDS } from "../../contract/job.ts";
import { readDocuments } from "../declare/documents.ts";
import { readFile } from "../read-json.ts";
import { UsageError } from "../usage-error.ts";

export type WrittenJob = Record<string, unknown>;

/** Reads a file with one job; `-` is standard input. */
export async function readJobFile(path: string): Promise<WrittenJob> {
  const where = path === "-" ? "standard input" : path;
  return parseJob(path === "-" ? await readAll(process.stdin) : readFile("--file", path), where);
}

export function parseJob(text: string, where: string): WrittenJob {
  const { documents, problems } = readDocuments(text, where);
  const [problem] = problems;
  if (problem) {
    const { line, column } = problem.place;
    throw new UsageError(`${where} is neither JSON nor YAML: line ${line}, column ${column}: ${problem.message}`);
  }
  if (documents.length > 1)
    throw new UsageError(`${where} holds ${documents.length} documents; several jobs are made with: punctual apply -f`);
  const value = documents[0]?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${where} holds no job: write its fields, such as "name", "schedule" and "target"`);
  if ("jobs" in value)
    throw new UsageError(`${where} holds a list of jobs; they are made with: punctual apply -f ${path(where)}`);
  return value as WrittenJob;
}

/** Without what only the server writes. */
export function writableFields(job: Job): WrittenJob {
  const readOnly: readonly string[] = READ_ONLY_FIELDS;
  return Object.fromEntries(Object.entries(job).filter(([field]) => !readOnly.includes(field)));
}

export function jobYaml(job: WrittenJob): string {
  return stringify(job, { lineWidth: 100 });
}

function path(where: string): string {
  return where === "standard input" ? "-" : where;
}
