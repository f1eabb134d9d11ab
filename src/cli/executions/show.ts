import type { Attempt, Execution } from "../../contract/execution.ts";
import { toneOf } from "../output/colour.ts";
import { type Fact, facts } from "../output/facts.ts";
import type { Output } from "../output/output.ts";
import { harmless } from "../output/text.ts";
import { lasting } from "../output/time.ts";
import type { Session } from "../session.ts";
import { executionId, type OneFlags } from "./one.ts";

export async function showExecution(session: Session, flags: OneFlags, id?: string): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const execution = await client.executions.get(await executionId(client, flags, id));
  out.show(execution, () => executionText(execution, out));
}

function executionText(execution: Execution, out: Output): string {
  const { state, reason, error } = execution;
  const rows: Fact[] = [
    ["Id", execution.id],
    ["Trigger", [execution.trigger, execution.triggeredBy].filter(Boolean).join(", by ")],
    ["Due", dueText(execution, out)],
    ["Started", execution.startedAt === null ? null : startedText(execution, out)],
    ["Finished", execution.finishedAt === null ? null : finishedText(execution, out)],
    ["Attempt", execution.attempt],
    ["Reason", reason && `${reason.message} (${reason.code})`],
    // A reason mostly tells the last error too.
    ["Error", error && !reason?.message.includes(error.message) ? `${error.message} (${error.code})` : null],
    ["Cause", error?.cause],
    ["Progress", jsonText(execution.progress)],
    ["Payload", jsonText(execution.payload)],
    ["Result", jsonText(execution.result)],
    ["Key", execution.key],
    ["Retry of", execution.retryOf],
    ["Job version", execution.jobVersion],
  ];
  const head = `${out.paint("strong", execution.jobName)}  ${out.paint(toneOf(state) ?? "strong", state)}`;
  const stack = error?.stack ? `\n${out.paint("faint", harmless(error.stack))}\n` : "";
  const attempts = attemptsText(execution.attempts ?? [], out);
  return `${head}\n${facts(rows, out)}${stack}${attempts === "" ? "" : `\n${attempts}`}`;
}

function dueText({ scheduledAt, scheduledUntil, count }: Execution, out: Output): string {
  const first = out.timeInFull(scheduledAt);
  return scheduledUntil === null ? first : `${first}, until ${scheduledUntil}: ${count} instants`;
}

function startedText({ startedAt, latenessMs }: Execution, out: Output): string {
  return `${out.timeInFull(startedAt)}${latenessMs === null ? "" : `, ${lasting(Math.max(0, latenessMs))} late`}`;
}

function finishedText({ finishedAt, durationMs }: Execution, out: Output): string {
  return `${out.timeInFull(finishedAt)}${durationMs === null ? "" : `, after ${lasting(durationMs)}`}`;
}

function jsonText(value: unknown): string | null {
  return value === undefined || value === null || JSON.stringify(value) === "{}" ? null : JSON.stringify(value);
}

function attemptsText(attempts: readonly Attempt[], out: Output): string {
  return out.table(attempts, [
    { title: "TRY", of: ({ number }) => String(number), align: "right" },
    { title: "OUTCOME", of: ({ outcome }) => ({ text: outcome ?? "running", tone: toneOf(outcome ?? "running") }) },
    { title: "STARTED", of: ({ startedAt }) => out.time(startedAt) },
    { title: "TOOK", of: tookText, align: "right" },
    { title: "STATUS", of: ({ response }) => String(response?.status ?? "-"), align: "right" },
    { title: "BY", of: ({ worker, node }) => worker ?? node ?? "-", rank: 2, min: 8 },
    { title: "WHY", of: ({ error }) => error?.message ?? "", rank: 1, min: 16 },
  ]);
}

function tookText({ startedAt, finishedAt }: Attempt): string {
  return finishedAt === null ? "-" : lasting(Date.parse(finishedAt) - Date.parse(startedAt));
}
