// Jobs as a file that `punctual apply` accepts and that changes nothing.

import type { Job } from "../../contract/job.ts";
import { yamlText } from "../declare/yaml-text.ts";
import { shortJob } from "./short-job.ts";

/** Jobs that belong to one source of files, and how that is called in the file. */
export interface ExportGroup {
  source: string;
  /** Made by hand, or declared elsewhere: applying the file takes them over. */
  adopts: boolean;
  jobs: Job[];
}

/** Files have sources of their own; everything else is put together under `as`. */
export function groupJobs(jobs: readonly Job[], as: string): ExportGroup[] {
  const groups = new Map<string, ExportGroup>();
  for (const job of jobs) {
    const own = job.source?.startsWith("file:") ? job.source.slice("file:".length) : null;
    const key = own === null ? "" : own;
    const group = groups.get(key) ?? { source: own ?? as, adopts: own === null, jobs: [] };
    group.jobs.push(job);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
}

/** One document for each group. */
export function exportYaml(groups: readonly ExportGroup[]): string {
  return groups.map(yamlDocument).join("---\n");
}

export function exportFile({ source, jobs }: ExportGroup) {
  const byName = [...jobs].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { source, jobs: Object.fromEntries(byName.map((job) => [job.name, shortJob(job)])) };
}

function yamlDocument(group: ExportGroup): string {
  const comment = "These jobs do not belong to a file yet: punctual apply --adopt takes them over.";
  return yamlText(exportFile(group), group.adopts ? { comment } : {});
}
