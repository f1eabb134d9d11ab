import type { JobInput } from "../../client/index.ts";
import type { Json } from "../../contract/json.ts";
import { given } from "../listing.ts";
import { readJson } from "../read-json.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { readJobFile, type WrittenJob } from "./job-file.ts";
import { jobText } from "./show.ts";

export interface CreateFlags {
  name?: string;
  file?: string;
  cron?: string;
  tz?: string;
  every?: string;
  at?: string;
  delay?: string;
  url?: string;
  method?: string;
  header?: string[];
  body?: string;
  handler?: string;
  command?: string;
  payload?: string;
  description?: string;
  tag?: string[];
  timeout?: string;
  maxAttempts?: number;
  priority?: number;
  overlap?: string;
  paused?: boolean;
  dryRun?: boolean;
}

export async function createJob(session: Session, flags: CreateFlags, ...args: string[]): Promise<void> {
  const { out } = session;
  const input = await writtenJob(flags, args);
  const client = await session.client();
  // Whether the fields make sense is for the server to say: it knows them all, and it says it well.
  const job = await client.jobs.create(input as unknown as JobInput & { paused?: boolean }, {
    ...(flags.dryRun ? { dryRun: true } : {}),
  });
  out.show(job, () => jobText(job, out));
  if (out.json) return;
  out.note(
    flags.dryRun
      ? "\nNothing was made: this is what it would be."
      : `\nRun it now with: punctual jobs trigger ${job.name}`,
  );
}

/** The job that the file and the flags describe; flags win. */
export async function writtenJob(flags: CreateFlags, args: readonly string[]): Promise<WrittenJob> {
  const stdin = [flags.file, flags.payload, flags.body].filter((value) => value === "-");
  if (stdin.length > 1) throw new UsageError("Standard input (-) can be read once only");
  const base = flags.file === undefined ? {} : await readJobFile(flags.file);
  const { name, description, timeout, priority, overlap, maxAttempts, paused } = flags;
  const schedule = scheduleOf(flags);
  const target = await targetOf(flags, args, base.target);
  const payload = flags.payload === undefined ? undefined : await readJson("--payload", flags.payload);
  const retry = maxAttempts === undefined ? undefined : { ...(base.retry as object | undefined), maxAttempts };
  const tags = flags.tag;
  return {
    ...base,
    ...given({ name, description, tags, schedule, target, payload, priority, timeout, retry, overlap, paused }),
  };
}

function scheduleOf({ cron, every, at, delay, tz }: CreateFlags): Record<string, string> | undefined {
  const kinds = given({ cron, every, at, delay });
  const named = Object.keys(kinds);
  if (named.length > 1)
    throw new UsageError(`A job has one schedule: keep one of ${named.map((kind) => `--${kind}`).join(" and ")}`);
  if (named.length === 0) {
    if (tz !== undefined) throw new UsageError("--tz says nothing by itself: it goes with --cron or --at");
    return undefined;
  }
  return given({ ...kinds, timezone: tz }) as Record<string, string>;
}

async function targetOf(
  flags: CreateFlags,
  args: readonly string[],
  fromFile: unknown,
): Promise<WrittenJob | undefined> {
  const { url, handler, command } = flags;
  const named = Object.keys(given({ url, handler, command }));
  if (named.length > 1)
    throw new UsageError(`A job has one target: keep one of ${named.map((kind) => `--${kind}`).join(" and ")}`);
  if (args.length > 0 && command === undefined)
    throw new UsageError(`"${args[0]}" is not understood: arguments go with --command, and everything else is a flag`);
  if (handler !== undefined) return { type: "worker", handler };
  if (command !== undefined) return { type: "shell", command, args: [...args] };
  const http = await httpFieldsOf(flags);
  if (url !== undefined) return { type: "http", url, ...http };
  if (fromFile === undefined)
    throw new UsageError("Say what to run: --url <url>, --handler <name>, --command <program>, or -f <file>");
  return Object.keys(http).length === 0 ? undefined : { ...(fromFile as object), ...http };
}

async function httpFieldsOf({ method, header, body }: CreateFlags): Promise<Record<string, Json>> {
  const headers = header === undefined ? undefined : Object.fromEntries(header.map(splitHeader));
  return given({
    method: method?.toUpperCase(),
    headers,
    body: body === undefined ? undefined : await readJson("--body", body),
  }) as Record<string, Json>;
}

function splitHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new UsageError(`--header "${text}" is no header: write it as "name: value"`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}
