// What a declarative file says: which jobs there are to be, and whose they are. Whether a job's fields are right is the
// server's business; here only what makes a file a file is looked at.

import { jobNameSchema, READ_ONLY_FIELDS, sourceSchema } from "../../contract/job.ts";
import { DEFAULT_FIELDS, isFields, withDefaults } from "./defaults.ts";
import { type FileProblem, type Place, type PlacedValue, readDocuments } from "./documents.ts";

const FIELDS = ["source", "defaults", "jobs"];
const PLACEHOLDER = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

export interface DeclaredJob {
  name: string;
  /** `file:billing` */
  source: string;
  /** As it is sent to the server. */
  fields: Record<string, unknown>;
  /** Where a field stands, given as the server names it: `schedule.cron`. */
  placeOf(field: string): Place;
}

export interface DeclaredSource {
  source: string;
  /** Written in the file, not taken from its name. */
  named: boolean;
}

export interface Declared {
  sources: DeclaredSource[];
  jobs: DeclaredJob[];
  problems: FileProblem[];
  /** What a reader of the file may have meant otherwise. */
  notes: string[];
}

/** `presetSource` is the source of documents that name none; null if they must. */
export function readDeclaredFile(text: string, file: string, presetSource: string | null): Declared {
  const { documents, problems } = readDocuments(text, file);
  const read = documents.filter(({ value }) => value !== null).map((document) => readDocument(document, presetSource));
  const all: Declared = {
    sources: read.flatMap(({ sources }) => sources),
    jobs: read.flatMap(({ jobs }) => jobs),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
    notes: read.flatMap(({ notes }) => notes),
  };
  if (read.length === 0 && problems.length === 0) {
    const place = { file, line: 1, column: 1 };
    all.problems.push({ place, job: null, field: null, message: "is empty: write jobs: and under it name: {…}" });
  }
  return all;
}

function readDocument({ value, placeOf }: PlacedValue, presetSource: string | null): Declared {
  const problems: FileProblem[] = [];
  const refuse = (path: string[], message: string) =>
    problems.push({ place: placeOf(path), job: null, field: path.join(".") || null, message });
  const nothing = { sources: [], jobs: [], problems, notes: [] };
  if (!isFields(value)) {
    refuse([], `must be fields (${FIELDS.join(", ")}), not ${kindOf(value)}`);
    return nothing;
  }
  for (const field of Object.keys(value))
    if (!FIELDS.includes(field) && !field.startsWith("x-"))
      refuse([field], `there is no "${field}" in such a file; it has ${FIELDS.join(", ")}, and x-… for your own use`);
  const source = sourceOf(value.source, presetSource, (message) => refuse(["source"], message));
  const defaults = defaultsOf(value.defaults, refuse);
  if (!isFields(value.jobs)) {
    const what = value.jobs === undefined ? "is missing" : `must be names with their jobs, not ${kindOf(value.jobs)}`;
    refuse(["jobs"], `${what}: write jobs: and under it name: {…}`);
    return nothing;
  }
  if (source === null) return nothing;
  const jobs = Object.entries(value.jobs).map(([name, fields]): DeclaredJob | null => {
    const place = (field: string) => placeOfField(placeOf, name, field);
    const found = jobProblems(name, fields);
    problems.push(...found.map(({ field, message }) => ({ place: place(field ?? ""), job: name, field, message })));
    if (found.length > 0) return null;
    return { name, source, fields: tidied(withDefaults(fields as Record<string, unknown>, defaults)), placeOf: place };
  });
  return {
    sources: [{ source, named: value.source !== undefined }],
    jobs: jobs.filter((job) => job !== null),
    problems,
    notes: notesOf(jobs.filter((job) => job !== null)),
  };
}

function sourceOf(written: unknown, preset: string | null, refuse: (message: string) => void): string | null {
  if (written === undefined) {
    if (preset !== null && sourceSchema.safeParse(preset).success) return preset;
    refuse('is missing, and the file has no name to take it from: write source: and a name, such as "billing"');
    return null;
  }
  const source = sourceSchema.safeParse(`file:${written}`);
  if (typeof written === "string" && source.success) return source.data;
  refuse(`must be a name of letters, digits, . _ : / -, not ${JSON.stringify(written)}`);
  return null;
}

function defaultsOf(written: unknown, refuse: (path: string[], message: string) => void): Record<string, unknown> {
  if (written === undefined || written === null) return {};
  if (!isFields(written)) {
    refuse(["defaults"], `must be fields of a job, not ${kindOf(written)}`);
    return {};
  }
  for (const field of Object.keys(written))
    if (!(DEFAULT_FIELDS as readonly string[]).includes(field))
      refuse(["defaults", field], `cannot be a default; these can: ${DEFAULT_FIELDS.join(", ")}`);
  return written;
}

function jobProblems(name: string, fields: unknown): { field: string | null; message: string }[] {
  const checked = jobNameSchema.safeParse(name);
  const problems: { field: string | null; message: string }[] = checked.success
    ? []
    : [{ field: null, message: `the name "${name}" ${checked.error.issues[0]!.message}` }];
  if (!isFields(fields))
    return [...problems, { field: null, message: `must be fields of a job, not ${kindOf(fields)}` }];
  for (const field of Object.keys(fields)) {
    const message = fieldProblem(name, field, fields[field]);
    if (message !== null) problems.push({ field, message });
  }
  return problems;
}

function fieldProblem(job: string, field: string, value: unknown): string | null {
  if (field === "paused" || field === "pause" || field === "state")
    return `whether a job is paused is not declared: files never touch it. Use: punctual jobs pause ${job}`;
  if (field === "name")
    return value === job
      ? null
      : `is ${JSON.stringify(value)}, but the job is called "${job}" by its key: leave it out`;
  return (READ_ONLY_FIELDS as readonly string[]).includes(field) ? "is only read, never written: leave it out" : null;
}

/** YAML has numbers where people mean codes: `on: [429, 5xx]`. */
function tidied(fields: Record<string, unknown>): Record<string, unknown> {
  const { retry, target } = fields;
  return {
    ...fields,
    ...(isFields(retry) && Array.isArray(retry.on) ? { retry: { ...retry, on: retry.on.map(code) } } : {}),
    ...(isFields(target) && target.type === "http" && Array.isArray(target.successOn)
      ? { target: { ...target, successOn: target.successOn.map(code) } }
      : {}),
  };
}

function code(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

/** A field that the job has not is one of its defaults'. */
function placeOfField(placeOf: PlacedValue["placeOf"], job: string, field: string): Place {
  const path = field === "" ? [] : field.split(".");
  const own = placeOf(["jobs", job, ...path]);
  if (path.length === 0 || !samePlace(own, placeOf(["jobs", job]))) return own;
  const common = placeOf(["defaults", ...path]);
  return samePlace(common, placeOf(["defaults"])) || samePlace(common, placeOf([])) ? own : common;
}

function samePlace(a: Place, b: Place): boolean {
  return a.line === b.line && a.column === b.column;
}

function notesOf(jobs: readonly DeclaredJob[]): string[] {
  return jobs.flatMap((job) => {
    const found = PLACEHOLDER.exec(JSON.stringify(job.fields))?.[0];
    if (found === undefined) return [];
    return [`${job.name}: ${found} is sent as it is written; files are not filled in from the environment`];
  });
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : `the ${typeof value} ${JSON.stringify(value).slice(0, 40)}`;
}
