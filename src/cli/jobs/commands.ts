import { type Command, Option } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import { withListOptions } from "../listing.ts";
import { choiceOption, several, wholeNumber } from "../option-values.ts";
import type { BulkJobFlags, PauseFlags } from "./change.ts";
import type { CreateFlags } from "./create.ts";
import type { EditFlags } from "./edit.ts";
import type { ListJobsFlags } from "./list.ts";
import type { TriggerFlags } from "./trigger.ts";

const STATES = ["active", "paused", "completed", "deleted"];
const SORTS = ["name", "-name", "created", "-created", "nextFireAt", "-nextFireAt"];
export const OVERLAPS = ["allow", "skip", "queue_one", "queue_all", "cancel_previous"];

export function jobCommands(program: Command, add: AddCommand): void {
  const jobs = commandGroup(program, {
    name: "jobs",
    about: "what is to run, when and where",
    aliases: ["job"],
    group: HELP_GROUPS.jobs,
  });
  addLooking(jobs, add);
  addWriting(jobs, add);
  addOperating(jobs, add);
}

function addLooking(jobs: Command, add: AddCommand): void {
  add<ListJobsFlags>(jobs, {
    usage: "list",
    about: "list jobs",
    aliases: ["ls"],
    options: (command) =>
      withListOptions(
        withJobFilter(command).addOption(new Option("--sort <field>", "order of the list").choices(SORTS)),
      ),
    examples: [
      ["punctual jobs list --state paused", "those that do not run"],
      ["punctual jobs list --tag billing --sort nextFireAt", "what comes next"],
      ["punctual jobs list --all --json | jq -r .name", "one JSON line for each"],
    ],
    onlyReads: true,
    action: async () => (await import("./list.ts")).listJobs,
  });
  add(jobs, {
    usage: "show <job>",
    about: "show a job, its schedule and how it has been doing",
    aliases: ["get"],
    examples: [
      ["punctual jobs show nightly-report", "by name or id"],
      ["punctual jobs show nightly-report --json", "as the API has it"],
    ],
    onlyReads: true,
    action: async () => (await import("./show.ts")).showJob,
  });
}

function addWriting(jobs: Command, add: AddCommand): void {
  add<CreateFlags>(jobs, {
    usage: "create [args...]",
    about: "create a job from flags, or from a file",
    aliases: ["add"],
    options: withCreateOptions,
    examples: [
      ["punctual jobs create --name a --cron '0 2 * * *' --url https://example.com/a", "by HTTP"],
      ["punctual jobs create --name mail --every 5m --handler send --payload @p.json", "by a worker"],
      ["punctual jobs create --name save --cron @daily --command pg_dump -- -Fc shop", "a program"],
      ["punctual jobs create -f job.yaml --paused", "from a file, JSON or YAML; flags win"],
    ],
    action: async () => (await import("./create.ts")).createJob,
  });
  add<EditFlags>(jobs, {
    usage: "edit <job>",
    about: "change a job in your editor, or single fields",
    options: (command) =>
      command
        .option("--set <field=value>", "change one field instead; may be repeated", several)
        .option("-y, --yes", "save without asking"),
    examples: [
      ["punctual jobs edit report", "opens $VISUAL or $EDITOR with the job as YAML"],
      ["punctual jobs edit report --set schedule.cron='0 3 * * *' --set timeout=10m", "without an editor"],
    ],
    action: async () => (await import("./edit.ts")).editJob,
  });
}

function addOperating(jobs: Command, add: AddCommand): void {
  const change = async () => await import("./change.ts");
  add<PauseFlags>(jobs, {
    usage: "pause [job...]",
    about: "pause jobs: nothing runs but what is triggered by hand",
    options: (command) =>
      withBulkOptions(withJobFilter(command))
        .option("--reason <text>", "why, for others to read")
        .option("--until <time>", "when it ends by itself (one job)"),
    examples: [
      ["punctual jobs pause report --reason 'the API is down'", "one"],
      ["punctual jobs pause --tag billing --dry-run", "how many would it be?"],
    ],
    action: async () => (await change()).pauseJobs,
  });
  add<BulkJobFlags>(jobs, {
    usage: "resume [job...]",
    about: "let paused jobs run again",
    options: (command) => withBulkOptions(withJobFilter(command)),
    examples: [
      ["punctual jobs resume report", "what was missed meanwhile stays skipped"],
      ["punctual jobs resume --state paused --tag billing", "all that are paused"],
    ],
    action: async () => (await change()).resumeJobs,
  });
  add<TriggerFlags>(jobs, {
    usage: "trigger <job>",
    about: "run a job, now or later",
    aliases: ["run"],
    options: withTriggerOptions,
    examples: [
      ["punctual jobs trigger report --wait", "follow it to its end; exit code 3 unless it succeeds"],
      ['punctual jobs trigger report --payload \'{"month":"2026-11"}\' --delay 10m', "later, with another payload"],
      ["punctual jobs trigger report --key order-4711", "the same key again runs nothing new"],
    ],
    action: async () => (await import("./trigger.ts")).triggerJob,
  });
  add<BulkJobFlags>(jobs, {
    usage: "delete [job...]",
    about: "delete jobs; their history stays",
    aliases: ["rm"],
    options: (command) => withBulkOptions(withJobFilter(command)),
    examples: [
      ["punctual jobs delete report", "asks first"],
      ["punctual jobs delete --tag old --yes", "without asking, for scripts"],
    ],
    action: async () => (await change()).deleteJobs,
  });
}

function withJobFilter(command: Command): Command {
  return command
    .addOption(choiceOption("--state <state>", "in this state; several with commas", STATES))
    .option("--tag <tag>", "with this tag; several with commas: any of them")
    .option("--source <source>", "declared there, such as file:billing")
    .option("--q <text>", "with this text in name or description");
}

function withBulkOptions(command: Command): Command {
  return command
    .option("--all", "all there are")
    .option("--dry-run", "only say how many it would be")
    .option("-y, --yes", "do not ask");
}

function withTriggerOptions(command: Command): Command {
  return command
    .option("--payload <json>", "instead of the job's: JSON, @file, or - for standard input")
    .option("--at <time>", "when to run it (default: now)")
    .option("--delay <duration>", "how long from now, such as 10m")
    .option("--priority <number>", "0 to 100, higher first", wholeNumber({ min: 0, max: 100 }))
    .option("--key <key>", "the same key again is the same execution")
    .addOption(new Option("--overlap <policy>", "if another one runs").choices(OVERLAPS))
    .option("-w, --wait", "print its log and wait for its end")
    .option("--timeout <duration>", "with --wait: wait no longer than this");
}

function withCreateOptions(command: Command): Command {
  const what = (flags: string, about: string) => new Option(flags, about).helpGroup("What to run:");
  const when = (flags: string, about: string) => new Option(flags, about).helpGroup("When:");
  return command
    .option("--name <name>", "its name (one-time jobs may do without)")
    .option("-f, --file <path>", "read the job from a JSON or YAML file; - is standard input")
    .addOption(when("--cron <expression>", "by a cron expression"))
    .addOption(when("--tz <zone>", "time zone, such as Europe/Berlin (default: UTC)"))
    .addOption(when("--every <duration>", "at an interval, such as 10s or 6h"))
    .addOption(when("--at <time>", "once, such as 2026-12-01T09:00:00Z"))
    .addOption(when("--delay <duration>", "once, so long from now"))
    .addOption(what("--url <url>", "call this address"))
    .addOption(what("--method <method>", "with this method (default: POST)"))
    .addOption(what("--header <name: value>", "and this header; may be repeated").argParser(several))
    .addOption(what("--body <json>", "and this body: JSON, @file or - (default: the payload)"))
    .addOption(what("--handler <name>", "hand it to a worker that offers this handler"))
    .addOption(what("--command <program>", "run a program with [args...] on the node (PUNCTUAL_SHELL=on)"))
    .option("--payload <json>", "JSON, @file, or - for standard input")
    .option("--description <text>", "what it is for")
    .option("--tag <tag>", "a tag; may be repeated", several)
    .option("--timeout <duration>", "of one attempt (default: 5m)")
    .option("--max-attempts <number>", "tries in all (default: 3)", wholeNumber({ min: 1, max: 100 }))
    .option("--priority <number>", "0 to 100, higher first (default: 50)", wholeNumber({ min: 0, max: 100 }))
    .addOption(new Option("--overlap <policy>", "if the one before still runs (default: skip)").choices(OVERLAPS))
    .option("--paused", "create it paused")
    .option("--dry-run", "only check it, and show what it would be");
}
