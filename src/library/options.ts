// What a program says of itself and of the database when it makes a Punctual. Everything that is wrong is said at once.

import { z } from "zod";
import { parseDuration } from "../contract/duration.ts";
import { durationWithin } from "../contract/duration-schema.ts";
import { type Problem, PunctualError } from "../contract/errors.ts";
import { text } from "../contract/json.ts";
import { projectNameSchema } from "../contract/project.ts";
import { postgresUrl } from "../contract/setting-values.ts";
import { problemsOf } from "../contract/validate.ts";
import { LOG_LEVELS, type ProgramLog } from "./program-log.ts";

export interface PunctualOptions {
  /** What the program is called. Its jobs carry `source: "code:<app>"`, and it touches no others. */
  app: string;
  /** Which release of the program this is; what grows with each: `"42"`, `"1.10.3"`, `"2026-03-29"`. */
  release: string | number;
  /** A PostgreSQL URL, or `"embedded"` for one that is started in `dataDir` and shared by all programs that name it. */
  database: string;
  /** A direct URL, where `database` leads through a pooler. */
  listenUrl?: string | undefined;
  /** Named statements; false behind PgBouncer in transaction mode. */
  prepared?: boolean | undefined;
  /** Connections to the database at most. Default: 8. */
  connections?: number | undefined;
  /** Name of the project the jobs belong to. Default: `default`. */
  project?: string | undefined;
  /** What this instance is called in lists. Default: app and host name. */
  instance?: string | undefined;
  /** Handlers running at once in this process, of all jobs together. Default: 100. */
  concurrency?: number | undefined;
  /** Where the embedded database lives. Default: `./.punctual`. */
  dataDir?: string | undefined;
  /** How long `stop()` lets what runs go on. Default: `"10s"`. */
  drain?: string | undefined;
  /** How long a silent instance is believed alive. Default: `"15s"`; the same on all nodes and instances. */
  lease?: string | undefined;
  /** How long history is kept. Default: `"30d"`; the same on all nodes and instances. */
  retention?: string | undefined;
  /** A job that no living instance has declared for so long is paused. Default: `"10m"`. */
  undeclaredAfter?: string | undefined;
  /** Silent unless given: a level for JSON lines on standard error, or an object to tell. */
  log?: (typeof LOG_LEVELS)[number] | ProgramLog | undefined;
}

export interface Options {
  readonly app: string;
  readonly release: string;
  readonly database: string;
  readonly listenUrl: string | null;
  readonly prepared: boolean;
  readonly connections: number;
  readonly project: string;
  readonly instance: string | null;
  readonly concurrency: number;
  readonly dataDir: string | null;
  readonly drainMs: number;
  readonly leaseMs: number;
  readonly retentionMs: number;
  readonly undeclaredAfterMs: number;
  readonly log: (typeof LOG_LEVELS)[number] | ProgramLog;
}

export const EMBEDDED = "embedded";
/** They may have a password in them. */
const SECRET = ["database", "listenUrl"];

const appName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "must start with a letter or digit and have only letters, digits, . _ - (at most 64)",
  );

const NEEDED = `is needed: a database URL, or "${EMBEDDED}" for one in the program's own folder`;

const databaseUrl = z.string({ error: NEEDED }).superRefine((value, context) => {
  const read = value === EMBEDDED ? null : postgresUrl.read(value);
  if (read !== null && "refused" in read) context.addIssue({ code: "custom", message: read.refused });
});

const ms = (limits: { min?: string; max?: string }, preset: string) =>
  durationWithin(limits).default(preset).transform(parseDuration);

const schema = z.strictObject({
  app: appName,
  release: z.preprocess((value) => (typeof value === "number" ? String(value) : value), text(128).trim().min(1)),
  database: databaseUrl,
  listenUrl: databaseUrl.nullable().default(null),
  prepared: z.boolean().default(true),
  connections: z.int().min(2).max(1_000).default(8),
  project: projectNameSchema.default("default"),
  instance: text(128).min(1).nullable().default(null),
  concurrency: z.int().min(1).max(10_000).default(100),
  dataDir: z.string().min(1).nullable().default(null),
  drain: ms({ max: "1h" }, "10s"),
  lease: ms({ min: "2s", max: "5m" }, "15s"),
  retention: ms({ min: "1d" }, "30d"),
  undeclaredAfter: ms({ min: "1s" }, "10m"),
  log: z
    .custom<(typeof LOG_LEVELS)[number] | ProgramLog>(isLog, {
      error: `is neither a level (${LOG_LEVELS.join(", ")}) nor an object with debug, info, warn and error`,
    })
    .default("silent"),
});

/** Throws all that is wrong with them. */
export function readOptions(given: PunctualOptions): Options {
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    throw cannotAccept(
      "new Punctual",
      problemsOf(parsed.error, given).map(({ value, ...problem }) =>
        value === undefined || SECRET.includes(problem.path) ? problem : { ...problem, value },
      ),
    );
  const { drain, lease, retention, undeclaredAfter, ...rest } = parsed.data;
  return Object.freeze({
    ...rest,
    drainMs: drain,
    leaseMs: lease,
    retentionMs: retention,
    undeclaredAfterMs: undeclaredAfter,
  });
}

/** One error for all problems, each on a line of its own with the value seen. */
export function cannotAccept(what: string, problems: Problem[]): PunctualError {
  const lines = problems.map(({ path, message, value }) => {
    const seen = value === undefined || message.includes(String(value)) ? "" : ` (it is ${JSON.stringify(value)})`;
    return `\n  ${path}: ${message}${seen}`;
  });
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  return new PunctualError("validation_failed", `${what} has ${count}:${lines.join("")}`, { details: problems });
}

function isLog(value: unknown): boolean {
  if (typeof value === "string") return (LOG_LEVELS as readonly string[]).includes(value);
  if (typeof value !== "object" || value === null) return false;
  return ["debug", "info", "warn", "error"].every(
    (level) => typeof (value as Record<string, unknown>)[level] === "function",
  );
}
