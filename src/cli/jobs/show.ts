import type { Execution } from "../../contract/execution.ts";
import type { Job } from "../../contract/job.ts";
import { describe } from "../../core/schedule/describe.ts";
import { toneOf } from "../output/colour.ts";
import { type Fact, facts } from "../output/facts.ts";
import type { Output } from "../output/output.ts";
import { oneLine } from "../output/text.ts";
import { lasting } from "../output/time.ts";
import type { Session } from "../session.ts";
import { targetText } from "./schedule-text.ts";

const EXECUTIONS_SHOWN = 5;

export async function showJob(session: Session, _: object, name: string): Promise<void> {
  const { out } = session;
  const { jobs } = await session.client();
  const job = await jobs.get(name);
  const latest = out.json ? [] : (await jobs.executions(job.id, { limit: EXECUTIONS_SHOWN })).items;
  out.show(job, () => [jobText(job, out), latestText(latest, out)].filter((part) => part !== "").join("\n"));
}

/** A job as a person wants to read it. */
export function jobText(job: Job, out: Output): string {
  const rows: Fact[] = [
    ["Description", job.description],
    ["Schedule", describe(job.schedule)],
    ["Next", job.nextFireAt === null ? null : out.timeInFull(job.nextFireAt)],
    ["Paused", pauseText(job, out)],
    ["Target", targetText(job.target)],
    ["Payload", JSON.stringify(job.payload) === "{}" ? null : JSON.stringify(job.payload)],
    ["Timeout", job.timeout],
    ["Retry", retryText(job)],
    ["Overlap", job.overlap],
    ["Misfire", job.misfire.policy],
    ["Priority", job.priority === 50 ? null : job.priority],
    ["Delivery", job.delivery === "at_least_once" ? null : job.delivery],
    ["Tags", job.tags.join(", ")],
    ["Source", job.source],
    ["Version", `${job.version}, of ${out.timeInFull(job.updatedAt)}`],
    ["Id", job.id],
    ...job.warnings.map((warning): Fact => ["Warning", warning.message]),
  ];
  const state = out.paint(toneOf(job.state) ?? "strong", job.state);
  return `${out.paint("strong", job.name)}  ${state}\n${facts(rows, out)}`;
}

function pauseText({ pause }: Job, out: Output): string | null {
  if (pause === null) return null;
  const parts = [
    out.timeInFull(pause.at),
    pause.by === null ? "" : `by ${pause.by}`,
    pause.reason === null ? "" : `because: ${pause.reason}`,
    pause.until === null ? "" : `until ${out.timeInFull(pause.until)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function retryText({ retry }: Job): string {
  if (retry.maxAttempts === 1) return "never";
  return `${retry.maxAttempts} attempts, ${retry.backoff} from ${retry.initialDelay} to ${retry.maxDelay}, on ${retry.on.join(" ")}`;
}

function latestText(latest: readonly Execution[], out: Output): string {
  return out.table(latest, [
    { title: "LATEST EXECUTIONS", of: ({ id }) => id },
    { title: "STATE", of: ({ state }) => ({ text: state, tone: toneOf(state) }) },
    { title: "WHEN", of: ({ runAt }) => out.time(runAt) },
    { title: "TOOK", of: ({ durationMs }) => (durationMs === null ? "-" : lasting(durationMs)), align: "right" },
    { title: "WHY", of: ({ error, reason }) => oneLine(error?.message ?? reason?.message ?? ""), rank: 1, min: 12 },
  ]);
}
