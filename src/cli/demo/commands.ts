import type { Command } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import { wholeNumber } from "../option-values.ts";
import type { DemoFlags } from "./demo.ts";

export function demoCommand(program: Command, add: AddCommand): void {
  add<DemoFlags>(program, {
    usage: "demo",
    about: "a few sample jobs, and what happens to them",
    group: HELP_GROUPS.run,
    options: (command) =>
      command
        .option("--seconds <number>", "how long to watch", wholeNumber({ min: 1, max: 86_400 }), 60)
        .option("--keep", "leave the jobs there afterwards")
        .option("--remove", "remove jobs that were kept"),
    examples: [
      ["punctual demo", "beside punctual dev in another terminal"],
      ["punctual demo --seconds 10 --keep", "the jobs stay, to be looked at"],
      ["punctual demo --remove", "and are removed again"],
    ],
    action: async () => (await import("./demo.ts")).demo,
  });
}
