import { type Command, Option } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import type { EventsFlags } from "./events.ts";
import type { StatusFlags } from "./status.ts";

export function lookCommands(program: Command, add: AddCommand): void {
  add<StatusFlags>(program, {
    usage: "status",
    about: "how it is doing, on one screen",
    group: HELP_GROUPS.look,
    options: (command) =>
      command.addOption(new Option("--window <duration>", "how far back the figures go").default("1h")),
    examples: [
      ["punctual status", "health, nodes, workers, lag, rates, dead letters"],
      ["punctual status --window 24h --json", "for programs"],
    ],
    onlyReads: true,
    action: async () => (await import("./status.ts")).showStatus,
  });
  add<EventsFlags>(program, {
    usage: "events",
    about: "what happens, as it happens",
    group: HELP_GROUPS.look,
    options: (command) =>
      command
        .option("--type <type>", "only these, such as execution.failed; several with commas")
        .option("--job <job>", "of this job, by name or id")
        .option("--execution <id>", "of this execution"),
    examples: [
      ["punctual events --type execution.failed,execution.unknown", "until Ctrl-C"],
      ["punctual events --json | jq .data.jobId", "one JSON line for each"],
    ],
    onlyReads: true,
    action: async () => (await import("./events.ts")).showEvents,
  });
  add(program, {
    usage: "whoami",
    about: "whose key is used, where, and what it may do",
    group: HELP_GROUPS.look,
    examples: [
      ["punctual whoami", "with the current context"],
      ["punctual whoami --context production --json", "for programs"],
    ],
    onlyReads: true,
    action: async () => (await import("./whoami.ts")).showWhoami,
  });
}
