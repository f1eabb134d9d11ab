import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import type { CreateSigningKeyFlags, RotateSigningKeyFlags } from "./signing-keys.ts";

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
    examples: [["punctual signing-keys list", "which sign now, and until when"]],
    onlyReads: true,
    action: async () => (await action()).listSigningKeys,
  });
  add<CreateSigningKeyFlags>(signingKeys, {
    usage: "create <name>",
    about: "make a signing key, or bring one",
    options: (command) =>
      command
        .option("--from-env <variable>", "bring a whsec_… secret from an environment variable")
        .option("--named", "only for jobs whose target.signingKey names it (default: for all that name none)"),
    examples: [
      ["punctual signing-keys create november", "from then on calls are signed with it"],
      ["punctual signing-keys create billing --named", 'for jobs with "signingKey": "billing"'],
    ],
    action: async () => (await action()).createSigningKey,
  });
  add(signingKeys, {
    usage: "secret <id>",
    about: "print the secret of a signing key, for whoever verifies",
    examples: [["punctual signing-keys secret 01980000-0000-7000-8000-000000000000", "needs the scope admin"]],
    onlyReads: true,
    action: async () => (await action()).showSigningSecret,
  });
  add<RotateSigningKeyFlags>(signingKeys, {
    usage: "rotate <id>",
    about: "replace a signing key; for a while calls are signed with both",
    options: (command) => command.option("--overlap <duration>", "how long the old one signs along (default: 24h)"),
    examples: [["punctual signing-keys rotate 01980000-0000-7000-8000-000000000000", "prints the new id"]],
    action: async () => (await action()).rotateSigningKey,
  });
  add<{ yes?: boolean }>(signingKeys, {
    usage: "delete <id>",
    about: "delete a signing key that no receiver needs any more",
    aliases: ["rm"],
    options: (command) => command.option("-y, --yes", "do not ask"),
    examples: [["punctual signing-keys delete 01980000-0000-7000-8000-000000000000", "asks first"]],
    action: async () => (await action()).deleteSigningKey,
  });
}
