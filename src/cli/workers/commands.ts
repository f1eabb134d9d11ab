import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";

export function workerCommands(program: Command, add: AddCommand): void {
  const workers = commandGroup(program, {
    name: "workers",
    about: "processes of yours that run handlers",
    aliases: ["worker"],
    group: HELP_GROUPS.look,
  });
  const action = async () => await import("./workers.ts");
  add(workers, {
    usage: "list",
    about: "list workers",
    aliases: ["ls"],
    examples: [["punctual workers list", "who is there, and how much each is doing"]],
    onlyReads: true,
    action: async () => (await action()).listWorkers,
  });
  add(workers, {
    usage: "show <worker>",
    about: "show a worker and what it offers",
    aliases: ["get"],
    examples: [["punctual workers show mailer-1", "by id"]],
    onlyReads: true,
    action: async () => (await action()).showWorker,
  });
  add(workers, {
    usage: "drain <worker...>",
    about: "ask workers to take nothing more, finish, and leave",
    examples: [["punctual workers drain mailer-1", "before its machine goes"]],
    action: async () => (await action()).drainWorkers,
  });
  add(program, {
    usage: "handlers",
    about: "which handlers jobs want and workers offer",
    group: HELP_GROUPS.look,
    examples: [["punctual handlers", "those that nobody serves are marked"]],
    onlyReads: true,
    action: async () => (await action()).listHandlers,
  });
}
