import { type Command, Option } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import type { ExportFlags } from "./export-command.ts";

export function exportCommand(program: Command, add: AddCommand): void {
  add<ExportFlags>(program, {
    usage: "export",
    about: "print jobs as a file that apply accepts",
    group: HELP_GROUPS.change,
    options: (command) =>
      command
        .option("--source <source>", "only jobs of this source, such as file:billing")
        .option("--tag <tag>", "only jobs with this tag")
        .option("--all", "also jobs that are completed or declared in code")
        .addOption(new Option("--format <format>", "how to write it").choices(["yaml", "json"]).default("yaml"))
        .option("--as <name>", "the source for jobs that belong to no file", "exported"),
    examples: [
      ["punctual export > punctual.yaml", "what was made by hand becomes a file"],
      ["punctual export --source file:billing --format json", "one source, for programs"],
    ],
    onlyReads: true,
    action: async () => (await import("./export-command.ts")).exportJobs,
  });
}
