import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { UsageError } from "../usage-error.ts";
import { type Declared, type DeclaredJob, readDeclaredFile } from "./declared-file.ts";
import { describePlace, type FileProblem } from "./documents.ts";

const ENDINGS = [".yaml", ".yml", ".json"];
const FILE_BYTES_MAX = 8 * 1024 * 1024;
const FILES_MAX = 1_000;
export const JOBS_MAX = 10_000;

/** Reads files, folders of files (`-` is standard input), and puts together what they declare. */
export function readDeclaredFiles(paths: readonly string[]): Declared {
  const files = paths.flatMap(filesOf);
  if (files.length > FILES_MAX)
    throw new UsageError(`${files.length} files are too many: at most ${FILES_MAX} at once`);
  const read = files.map((file) => readDeclaredFile(textOf(file), shownName(file), presetSource(file)));
  const jobs = read.flatMap((one) => one.jobs);
  if (jobs.length > JOBS_MAX) throw new UsageError(`${jobs.length} jobs are too many: at most ${JOBS_MAX} at once`);
  const sources = new Map<string, boolean>();
  for (const { source, named } of read.flatMap((one) => one.sources))
    sources.set(source, (sources.get(source) ?? true) && named);
  return {
    sources: [...sources].map(([source, named]) => ({ source, named })),
    jobs,
    problems: [...read.flatMap(({ problems }) => problems), ...declaredTwice(jobs)],
    notes: read.flatMap(({ notes }) => notes),
  };
}

function filesOf(path: string): string[] {
  if (path === "-") return [path];
  if (!isFolder(path)) return [path];
  const files = readdirSync(path)
    .filter((name) => ENDINGS.includes(extname(name).toLowerCase()) && !name.startsWith("."))
    .sort();
  if (files.length === 0) throw new UsageError(`The folder ${path} has no files that end in ${ENDINGS.join(", ")}`);
  return files.map((name) => join(path, name));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${whyNot(error)}`);
  }
}

export function textOf(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shownName(path)} is not text in UTF-8`);
  }
}

export function bytesOf(path: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === "-" ? process.stdin.fd : path);
  } catch (error) {
    throw new UsageError(`${shownName(path)} cannot be read: ${whyNot(error)}`);
  }
  if (bytes.length > FILE_BYTES_MAX) throw new UsageError(`${shownName(path)} is larger than 8 MiB`);
  return bytes;
}

export function shownName(path: string): string {
  return path === "-" ? "standard input" : path;
}

function presetSource(path: string): string | null {
  return path === "-" ? null : `file:${basename(path, extname(path))}`;
}

function whyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  return code === "EACCES" ? "this user may not read it" : message;
}

function declaredTwice(jobs: readonly DeclaredJob[]): FileProblem[] {
  const first = new Map<string, DeclaredJob>();
  return jobs.flatMap((job) => {
    const before = first.get(job.name);
    if (before === undefined) {
      first.set(job.name, job);
      return [];
    }
    const message = `is declared twice: also at ${describePlace(before.placeOf(""))}`;
    return [{ place: job.placeOf(""), job: job.name, field: null, message }];
  });
}
