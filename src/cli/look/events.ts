import type { EventType, StreamedEvent } from "../../client/index.ts";
import { EVENT_TYPES } from "../../contract/events.ts";
import { jobIdOf } from "../executions/filter.ts";
import { given } from "../listing.ts";
import { toneOf } from "../output/colour.ts";
import type { Output } from "../output/output.ts";
import { oneLine } from "../output/text.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

export interface EventsFlags {
  type?: string;
  job?: string;
  execution?: string;
}

export async function showEvents(session: Session, flags: EventsFlags): Promise<void> {
  const { out } = session;
  const types = flags.type?.split(",").map(knownType);
  const client = await session.client();
  const jobId = flags.job === undefined ? undefined : await jobIdOf(client, flags.job);
  out.progress("Waiting for events; Ctrl-C ends it.");
  for await (const event of client.events.stream(given({ types, jobId, executionId: flags.execution }))) {
    if (event.type !== "reset") out.showLine(event, () => eventText(event, out));
    else if (!out.json) out.note("Some events were missed: the connection was away for too long.");
  }
}

function knownType(text: string): EventType {
  const type = EVENT_TYPES.find((known) => known === text.trim());
  if (type !== undefined) return type;
  throw new UsageError(`--type "${text}" is no type of event. There is: ${EVENT_TYPES.join(", ")}`);
}

function eventText({ type, timestamp, data }: StreamedEvent, out: Output): string {
  const time = out.terminal ? timestamp.slice(11, 23) : timestamp;
  const state = type.slice(type.indexOf(".") + 1);
  const tone = toneOf(state);
  const what = tone === null ? type.padEnd(20) : out.paint(tone, type.padEnd(20));
  const about = [
    data.executionId ?? data.jobId ?? data.node ?? "",
    data.attempt === undefined ? "" : `attempt ${data.attempt}`,
    oneLine(data.reason?.message ?? ""),
  ];
  return `${out.paint("faint", time)} ${what} ${about.filter((part) => part !== "").join(", ")}`.trimEnd();
}
