import type { Command } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import { wholeNumber } from "../option-values.ts";
import type { NextFlags } from "./next.ts";

export function nextCommand(program: Command, add: AddCommand): void {
  add<NextFlags>(program, {
    usage: "next [cron...]",
    about: "when a schedule fires, in words and instants",
    group: HELP_GROUPS.jobs,
    options: (command) =>
      command
        .option("--tz <zone>", "time zone of the expression (default: UTC)")
        .option("--every <duration>", "an interval instead of an expression")
        .option("--job <name>", "the schedule of a job, from the server")
        .option("--from <time>", "instants after this time (default: now)")
        .option("-n, --count <number>", "how many", wholeNumber({ min: 1, max: 1000 }), 10),
    examples: [
      ['punctual next "0 2 * * MON-FRI" --tz Europe/Berlin', "with what daylight saving does to it"],
      ['punctual next "*/15 9-17 * * *" -n 3 --json', "for programs"],
      ["punctual next --job nightly-report", "of a job that there is"],
    ],
    onlyReads: true,
    action: async () => (await import("./next.ts")).next,
  });
}
