import type { Command } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import type { DoctorFlags } from "./doctor.ts";

export function doctorCommand(program: Command, add: AddCommand): void {
  add<DoctorFlags>(program, {
    usage: "doctor",
    about: "look at the database and say what is not well, with a remedy for each",
    group: HELP_GROUPS.operate,
    options: (command) =>
      command
        .option("--database <url>", "the database to look at (PUNCTUAL_DATABASE_URL)")
        .option("--dev", "the database of punctual dev")
        .option("--data-dir <folder>", "where punctual dev keeps it (PUNCTUAL_DATA_DIR)")
        .option("--config <file>", "JSON file with settings (PUNCTUAL_CONFIG)"),
    examples: [
      ["punctual doctor", "with the settings of the node: run it where the node runs"],
      ["punctual doctor --dev", "the database of punctual dev"],
      ["punctual doctor --json | jq '.findings[] | select(.level != \"ok\")'", "for programs; exit code 1: a problem"],
    ],
    onlyReads: true,
    action: async () => (await import("./doctor.ts")).doctor,
  });
}
