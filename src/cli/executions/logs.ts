import type { LogLevel, LogLine } from "../../contract/log.ts";
import { EXIT } from "../exit-code.ts";
import { given } from "../listing.ts";
import type { Session } from "../session.ts";
import { logText } from "./log-text.ts";
import { executionId, type OneFlags } from "./one.ts";

/** The most that the API gives at once. */
const PAGE = 1_000;

export interface LogsFlags extends OneFlags {
  follow?: boolean;
  level?: LogLevel;
}

export async function showLogs(session: Session, flags: LogsFlags, named?: string): Promise<number> {
  const { out } = session;
  const client = await session.client();
  const id = await executionId(client, flags, named);
  const query = given({ level: flags.level });
  let lines = 0;
  const show = (line: LogLine) => {
    lines += 1;
    out.showLine(line, () => logText(line, out));
  };
  if (flags.follow) for await (const line of client.executions.followLogs(id, query)) show(line);
  else
    for (let after: string | null | undefined; after !== null; ) {
      const page = await client.executions.logs(id, { ...query, limit: PAGE, ...given({ after }) });
      for (const line of page.items) show(line);
      after = page.nextCursor;
    }
  if (lines === 0 && !out.json)
    out.note(`The execution ${id} has no log. What came back: punctual executions show ${id}`);
  return EXIT.done;
}
