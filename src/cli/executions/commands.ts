import { type Command, Option } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import { withListOptions } from "../listing.ts";
import { choiceOption } from "../option-values.ts";
import type { CancelFlags, RetryFlags } from "./change.ts";
import type { ListExecutionsFlags } from "./list.ts";
import type { LogsFlags } from "./logs.ts";
import type { OneFlags } from "./one.ts";

const STATES = ["scheduled", "running", "retrying", "succeeded", "failed", "cancelled", "skipped", "unknown"];
const TRIGGERS = ["schedule", "manual", "retry"];
const LEVELS = ["debug", "info", "warn", "error"];

export function executionCommands(program: Command, add: AddCommand): void {
  const executions = commandGroup(program, {
    name: "executions",
    about: "what ran, runs and will run",
    aliases: ["execution", "exec"],
    group: HELP_GROUPS.jobs,
  });
  addLooking(executions, add);
  addOperating(executions, add);
}

function addLooking(executions: Command, add: AddCommand): void {
  add<ListExecutionsFlags>(executions, {
    usage: "list",
    about: "list executions, newest first",
    aliases: ["ls"],
    options: (command) =>
      withListOptions(
        withExecutionFilter(command).addOption(
          new Option("--order <order>", "newest or oldest first").choices(["desc", "asc"]),
        ),
      ),
    examples: [
      ["punctual executions list --job report --state failed,unknown", "what went wrong"],
      ["punctual executions list --from 1h --all --json", "everything of the last hour, one JSON line each"],
    ],
    onlyReads: true,
    action: async () => (await import("./list.ts")).listExecutions,
  });
  add<OneFlags>(executions, {
    usage: "show [execution]",
    about: "show an execution with its attempts",
    aliases: ["get"],
    options: (command) => command.option("--job <job>", "the newest of this job instead"),
    examples: [
      ["punctual executions show 01980000-0000-7000-8000-000000000000", "by id"],
      ["punctual executions show --job report", "the newest of a job"],
    ],
    onlyReads: true,
    action: async () => (await import("./show.ts")).showExecution,
  });
  add<LogsFlags>(executions, {
    usage: "logs [execution]",
    about: "print the log of an execution",
    aliases: ["log"],
    options: (command) =>
      command
        .option("-f, --follow", "go on until the execution ends")
        .addOption(new Option("--level <level>", "this level and those above it").choices(LEVELS))
        .option("--job <job>", "the newest of this job instead"),
    examples: [
      ["punctual executions logs -f --job report", "as it grows"],
      ["punctual executions logs 01980000-0000-7000-8000-000000000000 --json", "one JSON line for each"],
    ],
    onlyReads: true,
    action: async () => (await import("./logs.ts")).showLogs,
  });
}

function addOperating(executions: Command, add: AddCommand): void {
  const change = async () => await import("./change.ts");
  add<RetryFlags>(executions, {
    usage: "retry [execution...]",
    about: "run executions again, or their next attempt now",
    options: (command) =>
      withBulkOptions(withExecutionFilter(command))
        .option("--payload <json>", "instead of the one it had: JSON, @file or -")
        .option("--original", "with the version of the job that it ran with")
        .option("-w, --wait", "print its log and wait for its end (one execution)")
        .option("--timeout <duration>", "with --wait: wait no longer than this"),
    examples: [
      ["punctual executions retry 01980000-0000-7000-8000-000000000000 --wait", "one, to its end"],
      ["punctual executions retry --job report --state failed --from 1d", "all that failed since yesterday"],
    ],
    action: async () => (await change()).retryExecutions,
  });
  add<CancelFlags>(executions, {
    usage: "cancel [execution...]",
    about: "cancel executions, also running ones",
    options: (command) =>
      withBulkOptions(withExecutionFilter(command)).option("--reason <text>", "why, for others to read"),
    examples: [
      ["punctual executions cancel 01980000-0000-7000-8000-000000000000", "one"],
      ["punctual executions cancel --job report --dry-run", "how many wait or run?"],
    ],
    action: async () => (await change()).cancelExecutions,
  });
}

function withExecutionFilter(command: Command): Command {
  return command
    .addOption(choiceOption("--state <state>", "in this state; several with commas", STATES))
    .option("--job <job>", "of this job, by name or id")
    .addOption(choiceOption("--trigger <kind>", "started this way", TRIGGERS))
    .option("--tag <tag>", "of jobs with this tag")
    .option("--from <time>", "due since then: a time, or 2h for two hours ago")
    .option("--to <time>", "and before that");
}

function withBulkOptions(command: Command): Command {
  return command.option("--dry-run", "only say how many it would be").option("-y, --yes", "do not ask");
}
