import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import type { CreateSigningKeyFlags } from "./signing-keys.ts";

export function signingKeyCommands(program: Command, add: AddCommand): void {
  const signingKeys = commandGroup(program, {
    name: "signing-keys",
    about: "keys that calls are signed with",
    aliases: ["signing-key"],
    group: HELP_GROUPS.operate,
  });
  const action = async () => await import("./signing-keys.ts");
  add(signingKeys, {
    usage: "list",
    about: "list signing keys, newest first",
    aliases: ["ls"],
    examples: [["punctual signing-keys list", "calls are signed with the newest"]],
    onlyReads: true,
    action: async () => (await action()).listSigningKeys,
  });
  add<CreateSigningKeyFlags>(signingKeys, {
    usage: "create <name>",
    about: "make a signing key, or bring one",
    options: (command) =>
      command.option("--from-env <variable>", "bring a whsec_… secret from an environment variable"),
    examples: [["punctual signing-keys create november", "from then on calls are signed with it"]],
    action: async () => (await action()).createSigningKey,
  });
  add(signingKeys, {
    usage: "secret <id>",
    about: "print the secret of a signing key, for whoever verifies",
    examples: [["punctual signing-keys secret 01980000-0000-7000-8000-000000000000", "needs the scope admin"]],
    onlyReads: true,
    action: async () => (await action()).showSigningSecret,
  });
  add<{ yes?: boolean }>(signingKeys, {
    usage: "delete <id>",
    about: "delete a signing key",
    aliases: ["rm"],
    options: (command) => command.option("-y, --yes", "do not ask"),
    examples: [["punctual signing-keys delete 01980000-0000-7000-8000-000000000000", "asks first"]],
    action: async () => (await action()).deleteSigningKey,
  });
}
