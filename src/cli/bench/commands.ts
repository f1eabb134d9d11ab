import type { Command } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";
import { wholeNumber } from "../option-values.ts";
import type { BenchFlags } from "./bench.ts";

export function benchCommand(program: Command, add: AddCommand): void {
  add<BenchFlags>(program, {
    usage: "bench",
    about: "how fast and how punctual it is on this machine",
    group: HELP_GROUPS.operate,
    needs: "nothing",
    options: (command) =>
      command
        .option("--seconds <number>", "how long each measurement may take", wholeNumber({ min: 1, max: 60 }), 5)
        .option(
          "--rate <number>",
          "fires a second, of which lateness is measured",
          wholeNumber({ min: 1, max: 1000 }),
          100,
        )
        .option("--database <url>", "an empty database to use, instead of one that is started for it"),
    examples: [
      ["punctual bench", "a database of its own in a temporary folder, about half a minute"],
      ["punctual bench --seconds 20 --rate 500 --json", "longer, and for programs"],
      ["punctual bench --database postgres://…/punctual_bench", "on your own server; the schema it makes is removed"],
    ],
    action: async () => (await import("./bench.ts")).bench,
  });
}
