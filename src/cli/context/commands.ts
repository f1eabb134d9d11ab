import type { Command } from "commander";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import type { SetFlags } from "./context.ts";

export function contextCommands(program: Command, add: AddCommand): void {
  const context = commandGroup(program, {
    name: "context",
    about: "which Punctual to talk to, and with which key",
    aliases: ["contexts"],
    group: HELP_GROUPS.operate,
  });
  const action = async () => await import("./context.ts");
  add(context, {
    usage: "list",
    about: "list the contexts",
    aliases: ["ls"],
    needs: "nothing",
    examples: [["punctual context list", "the current one has a star"]],
    onlyReads: true,
    action: async () => (await action()).listContexts,
  });
  add(context, {
    usage: "use <context>",
    about: "make a context the current one",
    needs: "nothing",
    examples: [["punctual context use production", "until another one is used"]],
    action: async () => (await action()).chooseContext,
  });
  add<SetFlags>(context, {
    usage: "set <name>",
    about: "add a context, or change one; asks for the key",
    needs: "nothing",
    options: (command) =>
      command
        .option("--server <url>", "its address")
        .option("--project <name>", "its project, for keys that may act in several")
        .option("--from-env <variable>", "take the key from an environment variable"),
    examples: [
      ["punctual context set production --server https://punctual.example.com", "asks for the key"],
      ["pass punctual | punctual context set ci --server https://ci.example.com", "takes it from another program"],
    ],
    action: async () => (await action()).setContext,
  });
  add(context, {
    usage: "delete <context>",
    about: "forget a context and its key",
    aliases: ["rm"],
    needs: "nothing",
    examples: [["punctual context delete old", "the server's key stays valid; see: punctual keys revoke"]],
    action: async () => (await action()).forgetContext,
  });
}
