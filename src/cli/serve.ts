// `punctual serve`: a production node. Standard output carries the log, one JSON line per event, and nothing else.

import type { SettingProblem } from "../contract/read-settings.ts";
import type { Settings } from "../contract/settings.ts";
import { createLog, startNode } from "../main.ts";
import { logCrashes, runUntilSignal } from "./running.ts";

export async function serve(settings: Settings, warnings: readonly SettingProblem[]): Promise<number> {
  const log = createLog({ level: settings.logLevel, stream: process.stdout });
  logCrashes(log);
  for (const warning of warnings) log.warn("setting.doubtful", warning);
  const start = async () => {
    const node = await startNode(settings, { log, databaseUrl: settings.databaseUrl!, dev: false });
    log.info("node.ready", { url: node.url, nodeId: node.nodeId });
    return node;
  };
  const ended = await runUntilSignal(start, (signal) => log.info("node.stopping", { signal }));
  log.info(ended === "stopped" ? "node.stopped" : "node.stuck");
  return ended === "stopped" ? 0 : 1;
}
