// How a command is declared: its words for the parser and for help, and where its action is. Actions are loaded when
// they are called, because help and completion should come at once.

import { type Command, Option } from "commander";
import { allWritten } from "./all-written.ts";
import { EXIT } from "./exit-code.ts";
import { ExpectedError } from "./expected-error.ts";
import { type CommonFlags, Session } from "./session.ts";

/** The program's help lists the commands under these. */
export const HELP_GROUPS = {
  run: "Run it:",
  jobs: "Jobs:",
  look: "Look:",
  change: "Change:",
  operate: "Operate:",
} as const;
type HelpGroup = (typeof HELP_GROUPS)[keyof typeof HELP_GROUPS];

/** What a command does. Its exit code is 0 unless it says otherwise. */
// biome-ignore lint/suspicious/noConfusingVoidType: an action that just ends has done its work
export type Action<Flags> = (session: Session, flags: Flags, ...args: string[]) => Promise<number | void>;

export interface CommandWords<Flags> {
  /** The name and the arguments, as the parser wants them: `show <job>`. */
  usage: string;
  about: string;
  aliases?: readonly string[];
  /** Of the program's help; commands within commands need none. */
  group?: HelpGroup;
  options?: (command: Command) => unknown;
  /** Each with what it does. */
  examples: readonly (readonly [line: string, what: string])[];
  /** "server" takes the flags that say which. */
  needs?: "server" | "nothing";
  /** It changes nothing, so there is no more to do once nobody reads what it prints. */
  onlyReads?: boolean;
  action: () => Promise<Action<Flags>>;
}

/** Adds a command to the program or to another command. */
export type AddCommand = <Flags extends object>(parent: Command, words: CommandWords<Flags>) => Command;

/** `finish` is told the exit code of the command that ran. */
export function commandAdder(finish: (code: number) => void): AddCommand {
  return (parent, words) => {
    const command = parent.command(words.usage).description(words.about);
    if (words.aliases) command.aliases([...words.aliases]);
    if (words.group) command.helpGroup(words.group);
    words.options?.(command);
    addCommonOptions(command, words.needs ?? "server");
    command.addHelpText("after", examplesText(words.examples));
    return command.action(async (...given: unknown[]) => {
      // The parser gives the arguments, then the flags, then the command itself.
      const flags = given.at(-2) as CommonFlags;
      const session = new Session(flags);
      process.stdout.once("error", (error: NodeJS.ErrnoException) => {
        const code = error.code === "EPIPE" ? EXIT.done : session.fail(unwritable(error));
        finish(code);
        if (words.onlyReads) void allWritten().then(() => process.exit(code));
      });
      try {
        const action = await words.action();
        const args = (given.slice(0, -2) as (string | string[] | undefined)[]).flat() as string[];
        finish((await action(session, flags as never, ...args)) ?? EXIT.done);
      } catch (error) {
        finish(session.fail(error));
      }
    });
  };
}

/** Unlike a reader that has seen enough (`punctual events | head -1`), a full disk is worth a complaint. */
function unwritable(cause: Error): ExpectedError {
  return new ExpectedError(`Standard output cannot be written: ${cause.message}`, { cause });
}

/** A command that only holds others: `jobs`. */
export function commandGroup(
  parent: Command,
  { name, about, aliases, group }: { name: string; about: string; aliases?: readonly string[]; group: HelpGroup },
): Command {
  return parent
    .command(name)
    .description(about)
    .aliases([...(aliases ?? [])])
    .helpGroup(group)
    .helpCommand(false);
}

function addCommonOptions(command: Command, needs: "server" | "nothing"): void {
  const common = (flags: string, about: string) =>
    command.addOption(new Option(flags, about).helpGroup("Common options:"));
  common("--json", "print JSON for programs");
  common("--no-color", "print no colours (also NO_COLOR)");
  if (needs === "nothing") return;
  common("--context <name>", "talk to this context (see: punctual context)");
  common("--server <url>", "talk to this address (PUNCTUAL_URL)");
  common("--project <name>", "act in this project (PUNCTUAL_PROJECT)");
}

function examplesText(examples: readonly (readonly [line: string, what: string])[]): string {
  if (examples.length === 0) return "";
  const lines = examples.map(([line, what]) => `  # ${what}\n  $ ${line}`);
  return `\nExamples:\n${lines.join("\n")}`;
}
