// `punctual demo`: a few jobs on the server of `punctual dev`, and what happens to them, line by line.

import { setTimeout as sleep } from "node:timers/promises";
import { type PunctualClient, type StreamedEvent, Worker } from "../../client/index.ts";
import { EXIT } from "../exit-code.ts";
import { ExpectedError } from "../expected-error.ts";
import { toneOf } from "../output/colour.ts";
import type { Output } from "../output/output.ts";
import { oneLine } from "../output/text.ts";
import type { Session } from "../session.ts";
import { awaitStopSignal } from "../stop-signal.ts";
import { DEMO_HANDLER, DEMO_SOURCE, type DemoJob, demoJobs, WORKER_JOB } from "./demo-jobs.ts";

export interface DemoFlags {
  seconds: number;
  keep?: boolean;
  remove?: boolean;
}

const PICTURE_MS = 400;
const NAME_WIDTH = 17;

export async function demo(session: Session, flags: DemoFlags): Promise<number> {
  const client = await session.client();
  if (flags.remove) {
    const removed = await removeJobs(client);
    session.out.note(removed === 0 ? "There are no demo jobs." : `Removed ${removed} demo jobs.`);
    return EXIT.done;
  }
  await client.health.live();
  await refuseWithoutEcho(session);
  const jobs = demoJobs(session.remote.url);
  const ended = new AbortController();
  const names = new Map<string, string>();
  // Subscribed first, so that nothing is missed.
  const watching = watch(client, session.out, names, ended.signal);
  const worker = demoWorker(session);
  try {
    await makeJobs(client, jobs, names);
    await worker.start();
    introduce(session, jobs, flags);
    await untilOver(flags.seconds, watching);
  } finally {
    ended.abort();
    await watching.catch(() => {});
    await worker.stop();
    if (!flags.keep) await removeJobs(client);
    // Nobody is left to do its work.
    else await client.jobs.delete(WORKER_JOB);
  }
  session.out.note(flags.keep ? KEPT : GONE);
  return EXIT.done;
}

const KEPT = `
They go on without you; remove them with: punctual demo --remove`;
const GONE = `
The demo's jobs are removed again; their history is kept. With --keep they stay.
Your own first job:
  punctual jobs create --name hello --every 10s --url https://example.com/`;

function introduce({ out, remote }: Session, jobs: readonly DemoJob[], { seconds }: DemoFlags): void {
  if (out.json) return;
  out.note(`${jobs.length} jobs at ${remote.url}, for ${seconds} seconds (Ctrl-C ends it):\n`);
  for (const { name, shows } of jobs) out.note(`  ${out.paintNote("strong", name.padEnd(NAME_WIDTH))}${shows}`);
  out.note(`
Look at them from another terminal:
  punctual status
  punctual jobs list --tag demo
  punctual executions list --state failed
  punctual dead-letters list
`);
}

async function refuseWithoutEcho({ remote }: Session): Promise<void> {
  const answer = await fetch(`${remote.url}/dev/echo`);
  if (answer.ok) return;
  throw new ExpectedError(
    `The server at ${remote.url} has no echo to call: the demo is for punctual dev. Start it in another terminal, and name it with --context local`,
  );
}

async function makeJobs(client: PunctualClient, jobs: readonly DemoJob[], names: Map<string, string>): Promise<void> {
  for (const { name, job } of jobs) {
    const { id } = await client.jobs.put(name, job, { source: DEMO_SOURCE });
    names.set(id, name);
  }
}

/** Also what they left among the dead letters, which nobody has to look after. */
async function removeJobs(client: PunctualClient): Promise<number> {
  let removed = 0;
  for await (const { id } of client.jobs.all({ source: DEMO_SOURCE })) {
    await client.jobs.delete(id, { source: DEMO_SOURCE });
    await client.deadLetters.discard({ filter: { jobId: [id] } });
    removed += 1;
  }
  return removed;
}

function demoWorker({ remote: { url, apiKey, project } }: Session): Worker {
  const worker = new Worker({
    url,
    key: apiKey,
    name: "demo",
    drainMs: 2_000,
    ...(project === null ? {} : { project }),
  });
  return worker.handle(DEMO_HANDLER, { concurrency: 2 }, async (run) => {
    const { pictures } = run.payload as { pictures: number };
    for (let done = 1; done <= pictures; done++) {
      await sleep(PICTURE_MS, undefined, { signal: run.signal });
      run.log.info(`picture ${done} of ${pictures} made smaller`);
      await run.progress(done / pictures);
    }
    return { made: pictures };
  });
}

async function untilOver(seconds: number, watching: Promise<void>): Promise<void> {
  const stop = awaitStopSignal(() => process.exit(EXIT.failed));
  const timer = new AbortController();
  try {
    // The watch only ends by itself when the server refuses it.
    await Promise.race([sleep(seconds * 1_000, undefined, { signal: timer.signal }), stop.received, watching]);
  } finally {
    timer.abort();
    stop.ignore();
  }
}

async function watch(
  client: PunctualClient,
  out: Output,
  names: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of client.events.stream({ signal })) {
    const name = event.type === "reset" ? undefined : names.get(event.data.jobId ?? "");
    if (event.type === "reset" || name === undefined || !SHOWN.includes(event.type)) continue;
    const why = event.data.reason?.message ?? (await errorOf(client, event));
    out.showLine({ ...event, job: name }, () => eventText(event, name, why, out));
  }
}

/** Every one of them is planned and started as well; that would be three lines where one tells it. */
const SHOWN = ["succeeded", "retrying", "failed", "skipped", "cancelled", "unknown"].map(
  (state) => `execution.${state}`,
);

/** Events say what happened; why it did is kept with the execution. */
async function errorOf(client: PunctualClient, { type, data }: StreamedEvent): Promise<string> {
  if (data.executionId === undefined || (type !== "execution.retrying" && type !== "execution.failed")) return "";
  const { error, attempts } = await client.executions.get(data.executionId);
  return (error ?? attempts?.at(-1)?.error)?.message ?? "";
}

function eventText({ type, timestamp, data }: StreamedEvent, name: string, why: string, { paint }: Output): string {
  const state = type.slice("execution.".length);
  // The reason of a failure counts the attempts itself.
  const counted = why.startsWith("attempt ");
  const attempt = data.attempt === undefined || data.attempt < 2 || counted ? "" : `attempt ${data.attempt}`;
  const told = [attempt, oneLine(why)].filter((part) => part !== "").join(", ");
  const when = paint("faint", timestamp.slice(11, 19));
  return `${when}  ${name.padEnd(NAME_WIDTH)}${paint(toneOf(state) ?? "faint", state.padEnd(10))} ${told}`.trimEnd();
}
