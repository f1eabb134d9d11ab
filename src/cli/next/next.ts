// `punctual next`: when a schedule fires. Expressions are worked out here, by the same rules as on a server.

import { PunctualError } from "../../contract/errors.ts";
import { scheduleInput } from "../../contract/schedule.ts";
import type { SchedulePreview } from "../../contract/schedule-preview.ts";
import { parseOrThrow } from "../../contract/validate.ts";
import { preview } from "../../core/schedule/preview.ts";
import { validateSchedule } from "../../core/schedule/validate.ts";
import type { Output } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { wrap } from "../output/text.ts";
import { relative } from "../output/time.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

export interface NextFlags {
  tz?: string;
  every?: string;
  job?: string;
  from?: string;
  count: number;
}

export async function next(session: Session, flags: NextFlags, ...words: string[]): Promise<void> {
  const cron = words.join(" ");
  const ways = [cron !== "", flags.every !== undefined, flags.job !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError(
      'Give one of these: an expression in quotes ("0 2 * * *"), --every <duration>, or --job <name>',
    );
  const from = flags.from === undefined ? session.out.now : readTime(flags.from);
  const found = flags.job === undefined ? offline(cron, flags, from) : await ofJob(session, flags.job, flags, from);
  session.out.show(found, () => inWords(found, session.out));
}

async function ofJob(
  session: Session,
  job: string,
  { tz, count, from }: NextFlags,
  at: Date,
): Promise<SchedulePreview> {
  if (tz !== undefined) throw new UsageError("--tz goes with an expression; a job has a time zone of its own");
  const client = await session.client();
  return await client.jobs.next(job, { count, ...(from === undefined ? {} : { from: at.toISOString() }) });
}

function offline(cron: string, { tz, every, count }: NextFlags, from: Date): SchedulePreview {
  const written = { ...(every === undefined ? { cron } : { every }), ...(tz === undefined ? {} : { timezone: tz }) };
  const after = from.getTime();
  const checked = validateSchedule(parseOrThrow(scheduleInput, written), { now: after, graceMs: 0, anchor: after });
  if (!checked.ok) throw PunctualError.validation([...checked.problems]);
  return preview(checked.schedule, { anchor: after, after, count, maxRuns: null });
}

function readTime(text: string): Date {
  const at = new Date(text);
  if (/^\d{4}-\d\d/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw new UsageError(`--from "${text}" is not a time: write it as 2026-12-01T09:00:00Z`);
}

type Instant = SchedulePreview["instants"][number];

function inWords({ description, instants, notes }: SchedulePreview, out: Output): string {
  const columns: Column<Instant>[] = [
    { title: "LOCAL TIME", of: ({ local }) => `${weekday(local)} ${local.replace("T", " ")}` },
    { title: "UTC", of: ({ at }) => at },
    { title: "WHEN", of: ({ at }) => relative(at, out.now) },
  ];
  const noted = instants.filter(({ note }) => note !== null).map(({ local, note }) => `${local}: ${note}`);
  const told = [...notes, ...noted].map((note) => wrap(`Note: ${note}.`, Math.min(out.width, 100)));
  return [out.paint("strong", wrap(`${description}.`, out.width)), out.table(instants, columns).trimEnd(), ...told]
    .filter((part) => part !== "")
    .join("\n\n");
}

function weekday(local: string): string {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`);
  return day.toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });
}
