import type { TriggerInput } from "../../client/index.ts";
import { followToEnd } from "../executions/follow.ts";
import { given } from "../listing.ts";
import { readJson } from "../read-json.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

export interface TriggerFlags {
  payload?: string;
  at?: string;
  delay?: string;
  priority?: number;
  key?: string;
  overlap?: string;
  wait?: boolean;
  timeout?: string;
}

// biome-ignore lint/suspicious/noConfusingVoidType: without --wait there is nothing but success to tell
export async function triggerJob(session: Session, flags: TriggerFlags, name: string): Promise<number | void> {
  const { at, delay, priority, key, overlap, wait, timeout } = flags;
  if (timeout !== undefined && !wait) throw new UsageError("--timeout says how long to wait, so it goes with --wait");
  const { out } = session;
  const client = await session.client();
  const payload = flags.payload === undefined ? undefined : await readJson("--payload", flags.payload);
  const input = given({ payload, runAt: at, delay, priority, key, overlap }) as TriggerInput;
  const execution = await client.jobs.trigger(name, input);
  if (wait) return await followToEnd(session, execution, { timeout });
  out.show(execution, () => execution.id);
  if (out.json) return;
  const what = execution.deduplicated ? "This key was seen before: the execution is" : "Triggered";
  out.note(`${what} ${execution.jobName} (${execution.state}). Its log: punctual executions logs -f ${execution.id}`);
}
