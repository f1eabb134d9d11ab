import type { LogLine } from "../contract/log.ts";
import type { FollowOptions } from "./executions.ts";
import { subscribe } from "./subscription.ts";
import type { Transport } from "./transport.ts";

/** Lines as they come, until the server says that there will be no more. */
export async function* followLogs(
  transport: Transport,
  path: string,
  { after, level, signal }: FollowOptions,
): AsyncGenerator<LogLine, void, undefined> {
  const subscription = { path, query: { after, level }, lastId: null, signal };
  for await (const { event, data } of subscribe(transport, subscription)) {
    if (event === "end") return;
    yield JSON.parse(data) as LogLine;
  }
}
