// `punctual import`: schedules from elsewhere as a declarative file on standard output, to be reviewed and then applied.

import { basename, extname } from "node:path";
import { zoneNamed } from "../../core/cron/zone.ts";
import { unknownZone } from "../../core/schedule/zone-names.ts";
import { bytesOf, shownName, textOf } from "../declare/declared-files.ts";
import { problemsText } from "../declare/plan-words.ts";
import { EXIT } from "../exit-code.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { importCrontab } from "./crontab.ts";
import { countJobs, type ImportedFile, importedYaml } from "./imported-file.ts";
import { asName } from "./job-name.ts";
import { importKubernetes } from "./kubernetes.ts";
import { importTargetOf, type TargetFlags } from "./target.ts";

export interface ImportFlags extends TargetFlags {
  source?: string;
}

export interface CrontabFlags extends ImportFlags {
  userField?: boolean;
  tz?: string;
}

export async function crontab(session: Session, flags: CrontabFlags, path: string): Promise<void> {
  const text = new TextDecoder().decode(await bytesOf(path));
  const imported = importCrontab(text, {
    source: sourceOf(flags, path, "crontab"),
    userField: flags.userField ?? isSystemCrontab(path),
    ...zoneOf(flags),
    target: importTargetOf(flags),
  });
  show(session, imported);
}

export async function kubernetes(session: Session, flags: ImportFlags, path: string): Promise<number> {
  const { out } = session;
  const { imported, problems, skipped } = importKubernetes(await textOf(path), {
    file: shownName(path),
    source: sourceOf(flags, path, "kubernetes"),
    target: importTargetOf(flags),
  });
  if (problems.length > 0) {
    if (out.json) out.show({ problems }, () => "");
    else out.note(problemsText(problems, { paint: out.paintNote, width: out.width }).trimEnd());
    return session.fail(new UsageError(`${shownName(path)} cannot be read as manifests; nothing was made of it`));
  }
  if (imported.jobs.length === 0)
    return session.fail(new UsageError(`${shownName(path)} has no CronJob in it; nothing was made of it`));
  show(session, imported);
  for (const what of skipped) out.note(`Left out, because it is no CronJob: ${what}`);
  return EXIT.done;
}

function show({ out }: Session, imported: ImportedFile): void {
  const counts = countJobs(imported);
  out.show({ ...imported, counts }, () => importedYaml(imported));
  const decide = counts.toDecide === 0 ? "" : `, ${counts.toDecide} commented out because something has to be decided`;
  out.note(`${counts.ready} ${counts.ready === 1 ? "job" : "jobs"}${decide}. Nothing was sent to a server.`);
}

function zoneOf({ tz }: CrontabFlags): { timezone: string; timezoneFrom: string } {
  if (tz === undefined) {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { timezone, timezoneFrom: "the zone of the machine that made this file; --tz names another" };
  }
  if (zoneNamed(tz) === null) throw new UsageError(`--tz: ${unknownZone(tz)}`);
  return { timezone: tz, timezoneFrom: "--tz" };
}

function isSystemCrontab(path: string): boolean {
  return path === "/etc/crontab" || path.startsWith("/etc/cron.d/");
}

function sourceOf({ source }: ImportFlags, path: string, preset: string): string {
  if (source !== undefined) return source;
  return path === "-" ? preset : (asName(basename(path, extname(path))) ?? preset);
}
