import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";

export function projectCommands(program: Command, add: AddCommand): void {
  const projects = commandGroup(program, {
    name: "projects",
    about: "separate sets of jobs, secrets and keys",
    aliases: ["project"],
    group: HELP_GROUPS.operate,
  });
  const action = async () => await import("./projects.ts");
  add(projects, {
    usage: "list",
    about: "list projects",
    aliases: ["ls"],
    examples: [["punctual projects list", "needs an instance admin's key"]],
    onlyReads: true,
    action: async () => (await action()).listProjects,
  });
  add(projects, {
    usage: "create <name>",
    about: "create a project",
    examples: [["punctual projects create billing", "then: punctual jobs list --project billing"]],
    action: async () => (await action()).createProject,
  });
  add(projects, {
    usage: "rename <name> <new-name>",
    about: "rename a project",
    examples: [["punctual projects rename billing invoicing", "ids, jobs and keys stay"]],
    action: async () => (await action()).renameProject,
  });
  add<{ yes?: boolean }>(projects, {
    usage: "delete <name>",
    about: "delete a project",
    aliases: ["rm"],
    options: (command) => command.option("-y, --yes", "do not ask"),
    examples: [["punctual projects delete billing", "asks first"]],
    action: async () => (await action()).deleteProject,
  });
}
