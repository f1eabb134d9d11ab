import { type Command, Option } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import type { ApplyFlags } from "./apply-command.ts";
import type { PlanFlags } from "./plan-command.ts";

const FILE_DEFAULT = "punctual.yaml";

export function declareCommands(program: Command, add: AddCommand): void {
  add<PlanFlags>(program, {
    usage: "plan",
    about: "show what applying a declarative file would change",
    group: HELP_GROUPS.change,
    options: (command) =>
      withFiles(command)
        .option("--prune", "count jobs that are no longer declared as to be deleted")
        .option("--adopt", "take over jobs that were made by hand or belong to another source")
        .option("--detailed-exitcode", "exit with 5 if there is something to change"),
    examples: [
      ["punctual plan", `what ${FILE_DEFAULT} in this folder would change`],
      ["punctual plan -f jobs/ --detailed-exitcode", "a whole folder, for a pipeline"],
    ],
    onlyReads: true,
    action: async () => (await import("./plan-command.ts")).plan,
  });
  add<ApplyFlags>(program, {
    usage: "apply",
    about: "make the jobs what a declarative file says",
    group: HELP_GROUPS.change,
    options: (command) =>
      withFiles(command)
        .option("-y, --yes", "ask nothing")
        .option("--prune", "delete jobs of the file's source that it no longer declares")
        .option("--adopt", "take over jobs that were made by hand or belong to another source"),
    examples: [
      ["punctual apply -f punctual.yaml", "shows the plan, asks, and does it"],
      ["punctual apply -f jobs/ --prune --yes", "in a pipeline, deleting what is gone"],
    ],
    action: async () => (await import("./apply-command.ts")).apply,
  });
}

function withFiles(command: Command): Command {
  const files = new Option("-f, --file <path...>", "files or folders of YAML or JSON; - for standard input");
  return command.addOption(files.default([FILE_DEFAULT], FILE_DEFAULT));
}
