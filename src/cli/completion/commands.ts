import type { Command } from "commander";
import { type AddCommand, HELP_GROUPS } from "../command.ts";

export function completionCommands(program: Command, add: AddCommand): void {
  add(program, {
    usage: "completion <shell>",
    about: "print the completion for bash, zsh or fish",
    group: HELP_GROUPS.operate,
    needs: "nothing",
    examples: [
      ["source <(punctual completion bash)", "in ~/.bashrc; names of jobs are completed too"],
      ["source <(punctual completion zsh)", "in ~/.zshrc, after compinit"],
      ["punctual completion fish > ~/.config/fish/completions/punctual.fish", "once"],
    ],
    onlyReads: true,
    action: async () => (await import("./scripts.ts")).printScript,
  });
  // What the scripts call at every tab; of no use to a person.
  program
    .command("complete [words...]", { hidden: true })
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const { completions } = await import("./completions.ts");
      for (const [word, about] of await completions(program, words)) process.stdout.write(`${word}\t${about}\n`);
    });
}
