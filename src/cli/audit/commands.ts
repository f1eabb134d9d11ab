import { Argument, type Command, Option } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import { withListOptions } from "../listing.ts";
import type { AuditFlags } from "./audit.ts";

export function auditCommand(program: Command, add: AddCommand): void {
  add<AuditFlags>(program, {
    usage: "audit",
    about: "who did what, newest first",
    group: HELP_GROUPS.operate,
    options: (command) =>
      withListOptions(
        command
          .addArgument(new Argument("[list]", "may be left out").choices(["list"]))
          .option("--actor <who>", "by whom: name or id")
          .option("--action <action>", "such as job.edit, or job for all about jobs; several with commas")
          .option("--object <what>", "to what: name or id")
          .option("--since <time>", "a time, or how long ago, such as 2h")
          .option("--until <time>", "the same; until just before it")
          .option("--instance", "what belongs to no project, such as signing in; for instance admins"),
      ).addOption(
        new Option("--export", "all that matches, as one JSON value a line").conflicts(["limit", "cursor", "all"]),
      ),
    examples: [
      ["punctual audit --action job --since 24h", "what was changed about jobs since yesterday"],
      ["punctual audit --object nightly-report --json", "with what it was before and after"],
      ["punctual audit --export --since 2026-11-01 > audit.ndjson", "to be kept elsewhere"],
      ["punctual audit --instance --action session", "who signed in, and who was refused"],
    ],
    onlyReads: true,
    action: async () => (await import("./audit.ts")).showAudit,
  });
}
