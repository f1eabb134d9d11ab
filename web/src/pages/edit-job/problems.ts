// What the server says is wrong with a draft, and at which field it is to be told.

import { type Problem, PunctualApiError } from "punctual/client";
import { type JobDraft, scheduleKindOf, targetTypeOf, valueAt } from "./job-draft.ts";

/** Where to tell what the server says of the whole: of a job that is too large it is the payload that has grown. */
const FIELD_OF: Readonly<Record<string, string>> = { name_taken: "name", body_too_large: "payload" };

/** What an answer says of the fields; empty if it says nothing of them, or was no answer at all. */
export function problemsOf(error: unknown): Problem[] {
  // That somebody else was faster is nobody's mistake, and asked about elsewhere.
  if (!(error instanceof PunctualApiError) || error.code === "version_mismatch") return [];
  if (error.details.length > 0) return error.details;
  return [{ path: FIELD_OF[error.code] ?? "", code: error.code, message: error.reason }];
}

/** Each once, though the server may have been asked in more than one way. */
export function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Map(problems.map((each) => [`${each.path} ${each.message}`, each]));
  return [...seen.values()];
}

/** The server looks for the name only when all else is well formed; whoever fills the form in wants to know of both at once. */
export function withMissingName(problems: readonly Problem[], draft: JobDraft): Problem[] {
  const told = problems.some(({ path }) => path === "name");
  if (told || valueAt(draft, "name") !== undefined || scheduleKindOf(draft.schedule) === "at") return [...problems];
  return [
    { path: "name", code: "required", message: "is needed; only a job that runs once may go without" },
    ...problems,
  ];
}

/** While a person still fills the form in, what they have not come to yet is not held against them. */
export function withoutUnwritten(problems: readonly Problem[], draft: JobDraft): Problem[] {
  return problems.filter(({ path }) => {
    const value = path === "" ? draft : valueAt(draft, path);
    return value !== undefined && value !== "";
  });
}

/** At the field itself, or at something within it: then with its place. */
export function problemAt(problems: readonly Problem[], path: string): string | null {
  const found = problems.filter((each) => each.path === path || each.path.startsWith(`${path}.`));
  if (found.length === 0) return null;
  return found
    .map((each) => {
      const within = each.path.slice(path.length + 1);
      return within === "" || each.message.includes(`"${within}"`) ? each.message : `${within}: ${each.message}`;
    })
    .join(" · ");
}

const ALWAYS_SHOWN = [
  "name",
  "description",
  "tags",
  "payload",
  "priority",
  "timeout",
  "delivery",
  "overlap",
  "retainFor",
];
const RETRY = ["maxAttempts", "backoff", "initialDelay", "multiplier", "maxDelay", "jitter", "maxElapsed", "on"];
const MISFIRE = ["policy", "grace", "limit", "window"];
const SCHEDULE = ["cron", "every", "at", "timezone", "dst", "startsAt", "endsAt", "maxRuns"];
const TARGET = {
  http: [
    "url",
    "method",
    "headers",
    "query",
    "body",
    "bodyText",
    "timeout",
    "connectTimeout",
    "successOn",
    "completion",
    "signingKey",
  ],
  worker: ["handler"],
  shell: ["command", "args", "env", "cwd", "user", "successOn"],
};

/** Those that no field of the form shows: they are told above it, each with its path. */
export function unplaced(problems: readonly Problem[], draft: JobDraft): Problem[] {
  const type = targetTypeOf(draft);
  const shown = [
    ...ALWAYS_SHOWN,
    ...RETRY.map((field) => `retry.${field}`),
    ...MISFIRE.map((field) => `misfire.${field}`),
    ...SCHEDULE.filter((field) => valueAt(draft, `schedule.${field}`) !== undefined).map(
      (field) => `schedule.${field}`,
    ),
    ...(type === null ? [] : TARGET[type].map((field) => `target.${field}`)),
  ];
  return problems.filter(({ path }) => !shown.some((each) => path === each || path.startsWith(`${each}.`)));
}
