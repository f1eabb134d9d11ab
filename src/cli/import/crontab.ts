// A crontab as a declarative file. Nothing is sent anywhere.

import { templateProblem } from "../../contract/template.ts";
import { zoneNamed } from "../../core/cron/zone.ts";
import { type CrontabLine, readCrontab } from "./crontab-lines.ts";
import { translateSchedule } from "./crontab-schedule.ts";
import type { ImportedFile, ImportedJob } from "./imported-file.ts";
import { Names, nameOfCommand } from "./job-name.ts";
import { type ImportTarget, targetFor } from "./target.ts";

export interface CrontabOptions {
  /** What the file is called, for its source. */
  source: string;
  /** Lines name a user before the command, as in /etc/crontab. */
  userField: boolean;
  timezone: string;
  /** Where the zone comes from, in words. */
  timezoneFrom: string;
  target: ImportTarget;
}

/** As crond does: never given up, never repeated, not caught up on, and never mind the one before. */
const AS_CROND = { timeout: "1d", retry: { maxAttempts: 1 }, overlap: "allow", misfire: { policy: "skip" } };
const PRIVATE = /pass|secret|token|key|credential/i;

/** The drawing that explains the five fields, which many crontabs begin with. */
const DRAWING = /^[.|]/;

interface Surroundings {
  environment: Record<string, string>;
  zone: string | null;
  shell: string;
  mailTo: string | null;
}

export function importCrontab(text: string, options: CrontabOptions): ImportedFile {
  const { lines, notes } = readCrontab(text, options);
  const names = new Names();
  const jobs: ImportedJob[] = [];
  const around: Surroundings = { environment: {}, zone: null, shell: "/bin/sh", mailTo: null };
  const remarks: string[] = [];
  let comments: string[] = [];
  for (const line of lines) {
    if (line.kind === "comment") comments.push(line.text);
    else if (line.kind === "blank") comments = [];
    else {
      if (line.kind === "variable") remarks.push(...readVariable(line, around));
      else if (line.kind === "broken") jobs.push(brokenJob(line, names));
      else jobs.push(importLine(line, around, { ...options, names, comments }));
      comments = [];
    }
  }
  return {
    about: [
      "Made from a crontab. Read it, decide what says DECIDE, then: punctual plan -f <this file>",
      ...notes.map((note) => `About the crontab: ${note}.`),
      ...remarks,
      `Times are those of ${options.timezone} (${options.timezoneFrom}).`,
      "The defaults are crond's: nothing is repeated, made up for or ended, and runs may overlap. Punctual can do better.",
      ...(options.target.kind === "shell" ? SHELL_REMARKS : []),
    ],
    source: options.source,
    defaults: { timezone: options.timezone, tags: ["crontab"], ...AS_CROND },
    jobs,
  };
}

const SHELL_REMARKS = [
  "Commands run on Punctual's nodes, which must allow it: PUNCTUAL_SHELL=on. Better: --target or --handler.",
  "crond starts them in the user's home folder with a PATH of /usr/bin:/bin; here cwd and env say so where it matters.",
];

function importLine(
  line: Extract<CrontabLine, { kind: "job" }>,
  around: Surroundings,
  { target, names, comments }: CrontabOptions & { names: Names; comments: string[] },
): ImportedJob {
  const { command, stdin } = splitPercent(line.command);
  const name = names.take(nameOfCommand(command) ?? `line-${line.number}`);
  const origin = [`line ${line.number}: ${line.text}`];
  const when = translateSchedule(line.schedule, "crond");
  if (when.kind === "none") return { name, origin, notes: [], decisions: [when.why], fields: null };
  const made = targetFor(target, name, () => shellTarget(command, stdin, line.user, around));
  const description = comments.filter((text) => text !== "" && !looksLikeJob(text) && !DRAWING.test(text)).join("\n");
  const schedule =
    around.zone !== null && "cron" in when.schedule ? { ...when.schedule, timezone: around.zone } : when.schedule;
  return {
    name,
    origin,
    notes: [...when.notes, ...made.notes, ...lineNotes(line, comments)],
    decisions: [...when.decisions, ...made.decisions],
    fields: { ...(description === "" ? {} : { description }), schedule, target: made.target },
  };
}

/** crond's commands read nothing; what a node runs would read the payload. */
const NO_STDIN = "exec </dev/null\n";

/** What crond does with a line: the shell gets it as one argument, with the variables above it. */
function shellTarget(command: string, stdin: string | null, user: string | null, around: Surroundings) {
  const { HOME: cwd, ...plain } = around.environment;
  const hidden = Object.keys(plain).filter((name) => PRIVATE.test(name));
  const env = { ...plain, ...Object.fromEntries(hidden.map((name) => [name, `{{secrets.${name}}}`])) };
  const script =
    stdin === null ? `${NO_STDIN}${command}` : `{ ${command}\n} <<'${endMark(stdin)}'\n${stdin}\n${endMark(stdin)}`;
  const braces = templateProblem(script);
  return {
    target: {
      type: "shell",
      command: around.shell,
      args: ["-c", script],
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(cwd?.startsWith("/") ? { cwd } : {}),
      ...(user === null ? {} : { user }),
    },
    notes: [
      ...(stdin === null ? [] : ["what follows the % was the command's standard input; it is a here-document now"]),
      ...hidden.map((name) => `save ${name} first: punctual secrets set ${name}`),
      ...(user === null ? [] : [`runs as ${user}: the nodes must allow that with PUNCTUAL_SHELL_USERS`]),
    ],
    decisions: braces === null ? [] : [`${braces}. Put the command into a script and call that`],
  };
}

function endMark(text: string): string {
  let mark = "STDIN";
  while (text.split("\n").includes(mark)) mark += "_";
  return mark;
}

/** The first % that is not escaped ends the command; the others are line breaks of what it gets to read. */
function splitPercent(line: string): { command: string; stdin: string | null } {
  const parts = line.split(/(?<!\\)%/).map((part) => part.replaceAll("\\%", "%"));
  return { command: parts[0]!.trim(), stdin: parts.length === 1 ? null : parts.slice(1).join("\n") };
}

function readVariable(
  { name, value, number }: Extract<CrontabLine, { kind: "variable" }>,
  around: Surroundings,
): string[] {
  if (name === "SHELL") around.shell = value === "" ? "/bin/sh" : value;
  else if (name === "CRON_TZ") {
    if (zoneNamed(value) === null)
      return [`line ${number}: CRON_TZ=${value} is no time zone that is known here; it was left out.`];
    around.zone = value;
  } else if (name === "MAILTO") {
    if (value === "") return [];
    return [`line ${number}: MAILTO=${value}: Punctual sends no mail; executions and their logs are kept instead.`];
  } else if (["MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING", "LOGNAME", "USER"].includes(name)) return [];
  else if (name === "RANDOM_DELAY") return [`line ${number}: RANDOM_DELAY has no like; jobs start on time.`];
  else {
    around.environment[name] = value;
    if (name === "TZ")
      return [
        `line ${number}: TZ is given to the commands; for when they run it means nothing in most crons (CRON_TZ does).`,
      ];
  }
  return [];
}

function lineNotes({ command }: Extract<CrontabLine, { kind: "job" }>, comments: readonly string[]): string[] {
  return [
    ...(command.endsWith("\\")
      ? ["it ends with a backslash: crontabs know no continued lines, so this may be half a command"]
      : []),
    ...comments.filter(looksLikeJob).map((text) => `commented out above it: ${text}`),
  ];
}

/** A job that somebody turned off is no description of the next one. */
function looksLikeJob(comment: string): boolean {
  return /^(@\w+|[\d*][\d*,/-]*(\s+[\d*A-Za-z,/-]+){4})\s+\S/.test(comment);
}

function brokenJob({ number, text, problem }: Extract<CrontabLine, { kind: "broken" }>, names: Names): ImportedJob {
  const name = names.take(`line-${number}`);
  return {
    name,
    origin: [`line ${number}: ${text}`],
    notes: [],
    decisions: [`crond cannot read this line: ${problem}`],
    fields: null,
  };
}
