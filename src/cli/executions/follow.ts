import { parseDuration } from "../../contract/duration.ts";
import { duration } from "../../contract/duration-schema.ts";
import type { Execution } from "../../contract/execution.ts";
import { parseOrThrow } from "../../contract/validate.ts";
import { EXIT } from "../exit-code.ts";
import { ExpectedError } from "../expected-error.ts";
import { toneOf } from "../output/colour.ts";
import { oneLine } from "../output/text.ts";
import { lasting } from "../output/time.ts";
import type { Session } from "../session.ts";
import { logText } from "./log-text.ts";

const TIMER_MS_MAX = 2 ** 31 - 1;

/** Prints the log as it grows and tells how the execution ended. The exit code is 3 unless it succeeded. */
export async function followToEnd(
  session: Session,
  { id, jobName }: Pick<Execution, "id" | "jobName">,
  { timeout }: { timeout?: string | undefined },
): Promise<number> {
  const { out } = session;
  const client = await session.client();
  const patience = timeout === undefined ? undefined : parseDuration(parseOrThrow(duration, timeout, "--timeout"));
  const signal = patience === undefined ? undefined : abortAfter(patience);
  out.progress(`${jobName}: waiting for ${id} …`);
  try {
    if (!out.json) for await (const line of client.executions.followLogs(id, { signal })) out.print(logText(line, out));
    const ended = await client.executions.waitFor(id, { signal });
    tellEnd(session, ended);
    return ended.state === "succeeded" ? EXIT.done : EXIT.notSucceeded;
  } catch (error) {
    if (!signal?.aborted) throw error;
    const { state } = await client.executions.get(id);
    throw new ExpectedError(
      `It is still ${state} after ${timeout}. It goes on; follow it with: punctual executions logs -f ${id}`,
    );
  } finally {
    out.endProgress();
  }
}

/** Timers hold 24 days; a longer one would be over at once, so it takes several, one after the other. */
function abortAfter(ms: number): AbortSignal {
  const abort = new AbortController();
  const wait = (left: number) => {
    const next = Math.min(left, TIMER_MS_MAX);
    setTimeout(() => (left > next ? wait(left - next) : abort.abort()), next).unref();
  };
  wait(ms);
  return abort.signal;
}

function tellEnd({ out }: Session, execution: Execution): void {
  const { id, jobName, state, attempt, durationMs, error, reason } = execution;
  out.show(execution, () => "");
  if (out.json) return;
  const took = durationMs === null ? "" : ` after ${lasting(durationMs)}`;
  const attempts = attempt > 1 ? `, attempt ${attempt}` : "";
  const why = error?.message ?? reason?.message;
  out.note(`${jobName} ${out.paintNote(toneOf(state) ?? "strong", state)}${took}${attempts} (${id})`);
  if (state !== "succeeded" && why) out.note(`  ${oneLine(why)}`);
}
