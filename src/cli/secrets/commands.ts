import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import type { DeleteSecretFlags, SetSecretFlags } from "./secrets.ts";

export function secretCommands(program: Command, add: AddCommand): void {
  const secrets = commandGroup(program, {
    name: "secrets",
    about: "values that jobs use and nobody reads",
    aliases: ["secret"],
    group: HELP_GROUPS.operate,
  });
  const action = async () => await import("./secrets.ts");
  add(secrets, {
    usage: "list",
    about: "list the names of secrets; values are never shown",
    aliases: ["ls"],
    examples: [["punctual secrets list", "names, versions and dates"]],
    onlyReads: true,
    action: async () => (await action()).listSecrets,
  });
  add<SetSecretFlags>(secrets, {
    usage: "set <name>",
    about: "keep a secret; its value is typed, piped in or taken from a variable",
    options: (command) => command.option("--from-env <variable>", "take the value from an environment variable"),
    examples: [
      ["punctual secrets set REPORTS_TOKEN", "asks for the value, without showing it"],
      ["pass show reports | punctual secrets set REPORTS_TOKEN", "from another program"],
      ["punctual secrets set REPORTS_TOKEN --from-env TOKEN", "from the environment"],
    ],
    action: async () => (await action()).setSecret,
  });
  add<DeleteSecretFlags>(secrets, {
    usage: "delete <name>",
    about: "delete a secret; refused while jobs use it",
    aliases: ["rm"],
    options: (command) =>
      command.option("-y, --yes", "do not ask").option("--force", "also if jobs use it; they fail from then on"),
    examples: [["punctual secrets delete REPORTS_TOKEN", "asks first"]],
    action: async () => (await action()).deleteSecret,
  });
}
