// `punctual serve`: a production node. Standard output carries the log, one JSON line per event, and nothing else.

import type { SettingProblem } from "../contract/read-settings.ts";
import type { Settings } from "../contract/settings.ts";
import { checkDatabase, createLog, startNode } from "../main.ts";
import { judgeDatabase } from "./database-findings.ts";
import { ExpectedError } from "./expected-error.ts";
import { logCrashes, runUntilSignal } from "./running.ts";

export async function serve(settings: Settings, warnings: readonly SettingProblem[]): Promise<number> {
  const log = createLog({ level: settings.logLevel, stream: process.stdout });
  logCrashes(log);
  for (const warning of warnings) log.warn("setting.doubtful", warning);
  const start = async () => {
    await refuseUnfit(settings);
    const node = await startNode(settings, { log, databaseUrl: settings.databaseUrl!, dev: false });
    log.info("node.ready", { url: node.url, nodeId: node.nodeId });
    // Not into the log, which is kept and read by more people than this is for.
    if (node.link !== null)
      process.stderr.write(
        `punctual: nobody can sign in yet. The first admin chooses a password here, once, within 24 hours:\n  ${node.link}\n`,
      );
    return node;
  };
  const ended = await runUntilSignal(start, (signal) => log.info("node.stopping", { signal }));
  log.info(ended === "stopped" ? "node.stopped" : "node.stuck");
  return ended === "stopped" ? 0 : 1;
}

/** A database on which a node would start and then limp: told now, not by a log full of failed passes. */
async function refuseUnfit(settings: Settings): Promise<void> {
  const findings = judgeDatabase(await checkDatabase(settings.databaseUrl!), settings);
  const fatal = findings.filter((finding) => finding.fatal);
  if (fatal.length > 0) throw new ExpectedError(fatal.map(({ topic, text }) => `${topic}: ${text}`).join("\n"));
}
