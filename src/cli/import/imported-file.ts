// What an import makes: a declarative file to be read before it is applied. Every job says where it comes from and what
// is different from before. A job that would not do what it did is there, but commented out: somebody has to decide.

import { yamlText } from "../declare/yaml-text.ts";

export interface ImportedJob {
  name: string;
  /** As it stood where it comes from. */
  origin: string[];
  /** What whoever reviews it should know. */
  notes: string[];
  /** What has to be decided before it can run; with any of these it is commented out. */
  decisions: string[];
  /** Null if nothing can be made of it. */
  fields: Record<string, unknown> | null;
}

export interface ImportedFile {
  /** At the head of the file. */
  about: string[];
  source: string;
  defaults: Record<string, unknown>;
  jobs: ImportedJob[];
}

export interface ImportedCounts {
  ready: number;
  toDecide: number;
}

export function countJobs({ jobs }: ImportedFile): ImportedCounts {
  const ready = jobs.filter(isReady).length;
  return { ready, toDecide: jobs.length - ready };
}

export function importedYaml(file: ImportedFile): string {
  const { about, source, defaults, jobs } = file;
  const hasReady = jobs.some(isReady);
  return [
    ...about.map(comment),
    yamlText({ source, defaults }),
    hasReady ? "jobs:\n" : "jobs: {}\n",
    ...jobs.map((job) => indented(jobText(job))),
  ].join("");
}

function isReady({ decisions, fields }: ImportedJob): boolean {
  return decisions.length === 0 && fields !== null;
}

function jobText(job: ImportedJob): string {
  const { name, origin, notes, decisions, fields } = job;
  const declared = fields === null ? "" : yamlText({ [name]: fields });
  return [
    "\n",
    ...origin.map(comment),
    ...notes.map((note) => comment(`NOTE: ${note}`)),
    ...decisions.map((decision) => comment(`DECIDE: ${decision}`)),
    isReady(job) ? declared : declared.replace(/^(?=.)/gm, "# "),
  ].join("");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these would end the comment, or repaint a terminal
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g;

function comment(text: string): string {
  const line = `# ${text.replace(CONTROLS, "\ufffd")}`;
  return `${line.trimEnd()}\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
