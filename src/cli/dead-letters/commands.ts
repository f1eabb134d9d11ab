import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import { withListOptions } from "../listing.ts";
import { choiceOption, wholeNumber } from "../option-values.ts";
import type { HandleFlags } from "./handle.ts";
import type { GroupsFlags, ListDeadLettersFlags } from "./list.ts";

const STATUSES = ["open", "retried", "discarded"];

export function deadLetterCommands(program: Command, add: AddCommand): void {
  const deadLetters = commandGroup(program, {
    name: "dead-letters",
    about: "executions that failed for good",
    aliases: ["dead-letter", "dl"],
    group: HELP_GROUPS.jobs,
  });
  const list = async () => await import("./list.ts");
  const handle = async () => await import("./handle.ts");
  add<ListDeadLettersFlags>(deadLetters, {
    usage: "list",
    about: "list dead letters, newest first",
    aliases: ["ls"],
    options: (command) =>
      withListOptions(withFilter(command).option("--group <group>", "of this group (see: dead-letters groups)")),
    examples: [
      ["punctual dead-letters list", "those nobody has dealt with"],
      ["punctual dead-letters list --job report --status open,retried", "of one job"],
    ],
    onlyReads: true,
    action: async () => (await list()).listDeadLetters,
  });
  add<GroupsFlags>(deadLetters, {
    usage: "groups",
    about: "the same by job and kind of error, most frequent first",
    options: (command) =>
      withFilter(command).option("--limit <number>", "at most so many", wholeNumber({ min: 1, max: 200 })),
    examples: [["punctual dead-letters groups", "what goes wrong most"]],
    onlyReads: true,
    action: async () => (await list()).listGroups,
  });
  add<HandleFlags>(deadLetters, {
    usage: "retry [execution...]",
    about: "run dead letters again",
    options: withSelection,
    examples: [
      ["punctual dead-letters retry --job report", "all of a job; counts and asks first"],
      ["punctual dead-letters retry --all --yes", "all there are, for scripts"],
    ],
    action: async () => (await handle()).retryDeadLetters,
  });
  add<HandleFlags>(deadLetters, {
    usage: "discard [execution...]",
    about: "give dead letters up",
    options: withSelection,
    examples: [
      ["punctual dead-letters discard --group 5f1c…", "all of one kind; counts and asks first"],
      ["punctual dead-letters discard --job old --dry-run", "how many would it be?"],
    ],
    action: async () => (await handle()).discardDeadLetters,
  });
}

function withFilter(command: Command): Command {
  return command
    .option("--job <job>", "of this job, by name or id")
    .addOption(choiceOption("--status <status>", "what became of them; several with commas", STATUSES));
}

function withSelection(command: Command): Command {
  return command
    .option("--job <job>", "all open ones of this job")
    .option("--group <group>", "all open ones of this group")
    .option("--all", "all open ones")
    .option("--dry-run", "only say how many it would be")
    .option("-y, --yes", "do not ask");
}
