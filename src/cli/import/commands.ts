import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import type { CrontabFlags, ImportFlags } from "./import-command.ts";

export function importCommands(program: Command, add: AddCommand): void {
  const about = "turn schedules from elsewhere into a declarative file";
  const group = commandGroup(program, { name: "import", about, group: HELP_GROUPS.change });
  add<CrontabFlags>(group, {
    usage: "crontab <file>",
    about: "a crontab (- for standard input) as a file to review and apply",
    needs: "nothing",
    options: (command) =>
      withTargets(command)
        .option("--user-field", "lines name a user before the command, as in /etc/crontab")
        .option("--tz <zone>", "the time zone crond runs in (default: this machine's)"),
    examples: [
      ["crontab -l | punctual import crontab - > jobs.yaml", "your own, with commands as they are"],
      ["punctual import crontab /etc/crontab --tz Europe/Berlin", "the system's, which names users"],
      ["punctual import crontab jobs.cron --target https://app.example/cron/{name}", "calling your app instead"],
    ],
    onlyReads: true,
    action: async () => (await import("./import-command.ts")).crontab,
  });
  add<ImportFlags>(group, {
    usage: "kubernetes <file>",
    about: "CronJob manifests (- for standard input) as a file to review and apply",
    needs: "nothing",
    options: withTargets,
    examples: [
      ["kubectl get cronjobs -A -o yaml | punctual import kubernetes - > jobs.yaml", "all of a cluster"],
      ["punctual import kubernetes cron.yaml --handler", "to be run by workers, one handler for each job"],
    ],
    onlyReads: true,
    action: async () => (await import("./import-command.ts")).kubernetes,
  });
}

function withTargets(command: Command): Command {
  return command
    .option("--target <url>", "jobs call this address; {name} stands for the job's name")
    .option("--handler [prefix]", "jobs are handlers of workers, called like the job with this prefix")
    .option("--source <name>", "the source that the file declares (default: the file's name)");
}
