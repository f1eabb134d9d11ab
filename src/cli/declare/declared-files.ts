import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { UsageError } from "../usage-error.ts";
import { type Declared, type DeclaredJob, readDeclaredFile } from "./declared-file.ts";
import { describePlace, type FileProblem } from "./documents.ts";

const ENDINGS = [".yaml", ".yml", ".json"];
const FILE_BYTES_MAX = 8 * 1024 * 1024;
const FILES_MAX = 1_000;
const JOBS_MAX = 10_000;

/** Reads files, folders of files (`-` is standard input), and puts together what they declare. */
export async function readDeclaredFiles(paths: readonly string[]): Promise<Declared> {
  if (paths.filter((path) => path === "-").length > 1) throw new UsageError("Standard input (-) can be read once only");
  const files = paths.flatMap(filesOf);
  if (files.length > FILES_MAX)
    throw new UsageError(`${files.length} files are too many: at most ${FILES_MAX} at once`);
  const read: Declared[] = [];
  for (const file of files) read.push(readDeclaredFile(await textOf(file), shownName(file), presetSource(file)));
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

export async function textOf(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${shownName(path)} is not text in UTF-8`);
  }
}

export async function bytesOf(path: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = path === "-" ? await buffer(process.stdin) : await readFile(path);
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
