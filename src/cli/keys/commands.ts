import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import { choiceOption } from "../option-values.ts";
import type { CreateKeyFlags, RotateKeyFlags } from "./keys.ts";

const SCOPES = ["read", "operate", "write", "work", "metrics", "admin"];

export function keyCommands(program: Command, add: AddCommand): void {
  const keys = commandGroup(program, {
    name: "keys",
    about: "API keys of people, programs and workers",
    aliases: ["key", "api-keys"],
    group: HELP_GROUPS.operate,
  });
  const action = async () => await import("./keys.ts");
  add(keys, {
    usage: "list",
    about: "list API keys; the keys themselves are never shown",
    aliases: ["ls"],
    examples: [["punctual keys list", "what each may do and when it was last used"]],
    onlyReads: true,
    action: async () => (await action()).listKeys,
  });
  add<CreateKeyFlags>(keys, {
    usage: "create <name>",
    about: "make an API key; it is printed once",
    options: (command) =>
      command
        .addOption(choiceOption("--scope <scope>", "what it may do; several with commas", SCOPES).makeOptionMandatory())
        .option("--expires <when>", "a time, or a duration from now such as 90d (default: never)")
        .option("--instance-admin", "may see to the instance itself, in every project"),
    examples: [
      ["punctual keys create deploy --scope write --expires 90d", "for a pipeline"],
      ["punctual keys create mailer --scope work > mailer.key", "for workers, kept in a file"],
    ],
    action: async () => (await action()).createKey,
  });
  add<RotateKeyFlags>(keys, {
    usage: "rotate <id>",
    about: "make a new key with the same rights; the old one ends soon",
    options: (command) => command.option("--overlap <duration>", "how long the old one stays valid (default: 24h)"),
    examples: [["punctual keys rotate 3kTMd0cJ5eQa --overlap 1h", "the new key is printed once"]],
    action: async () => (await action()).rotateKey,
  });
  add<{ yes?: boolean }>(keys, {
    usage: "revoke <id>",
    about: "end an API key at once",
    aliases: ["delete", "rm"],
    options: (command) => command.option("-y, --yes", "do not ask"),
    examples: [["punctual keys revoke 3kTMd0cJ5eQa", "by the id that the list shows; asks first"]],
    action: async () => (await action()).revokeKey,
  });
}
