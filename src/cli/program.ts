// All commands, put together. Each group is declared in a file of its own and loads its actions when they are called.

import { type Argument, Command } from "commander";
import { auditCommand } from "./audit/commands.ts";
import { benchCommand } from "./bench/commands.ts";
import { commandAdder } from "./command.ts";
import { completionCommands } from "./completion/commands.ts";
import { contextCommands } from "./context/commands.ts";
import { deadLetterCommands } from "./dead-letters/commands.ts";
import { declareCommands } from "./declare/commands.ts";
import { demoCommand } from "./demo/commands.ts";
import { doctorCommand } from "./doctor/commands.ts";
import { executionCommands } from "./executions/commands.ts";
import { exportCommand } from "./export/commands.ts";
import { describeFailure } from "./failure.ts";
import { importCommands } from "./import/commands.ts";
import { jobCommands } from "./jobs/commands.ts";
import { keyCommands } from "./keys/commands.ts";
import { lookCommands } from "./look/commands.ts";
import { memberCommands } from "./members/commands.ts";
import { nextCommand } from "./next/commands.ts";
import { nodeCommands } from "./node-commands.ts";
import { projectCommands } from "./projects/commands.ts";
import { secretCommands } from "./secrets/commands.ts";
import { signingKeyCommands } from "./signing-keys/commands.ts";
import { UsageError } from "./usage-error.ts";
import { workerCommands } from "./workers/commands.ts";

const EXAMPLES = `
Examples:
  $ punctual dev                       everything here, nothing to set up
  $ punctual jobs create --name hello --every 10s --url https://example.com/
  $ punctual jobs trigger hello --wait
  $ punctual jobs list --json          for programs
  $ punctual jobs create --help        every command has examples

Exit codes: 0 done, 1 failed or unreachable, 2 wrong usage or settings,
            3 the execution did not succeed, 4 not found,
            5 plan --detailed-exitcode: there are changes.
`;

/** `finish` is told the exit code of the command that ran; with `json` also the parser speaks to programs. */
export function buildProgram(version: string, finish: (code: number) => void, { json = false } = {}): Command {
  const program = new Command("punctual")
    .description("A distributed job scheduler on PostgreSQL.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    // Nearly every command has options, and aliases are told by the command's own help.
    .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsOf(command)].join(" ").trim() })
    .showHelpAfterError(json ? false : "(--help shows what there is)")
    .configureOutput({ outputError: (text, write) => write(parserError(text.replace(/^error: /, ""), { json })) })
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  const add = commandAdder(finish);

  nodeCommands(program, finish);
  demoCommand(program, add);
  jobCommands(program, add);
  executionCommands(program, add);
  deadLetterCommands(program, add);
  nextCommand(program, add);
  declareCommands(program, add);
  exportCommand(program, add);
  importCommands(program, add);
  lookCommands(program, add);
  workerCommands(program, add);
  secretCommands(program, add);
  keyCommands(program, add);
  signingKeyCommands(program, add);
  projectCommands(program, add);
  memberCommands(program, add);
  auditCommand(program, add);
  doctorCommand(program, add);
  contextCommands(program, add);
  benchCommand(program, add);
  completionCommands(program, add);
  return program;
}

function parserError(text: string, { json }: { json: boolean }): string {
  if (!json) return `punctual: ${text}`;
  return `${JSON.stringify({ error: describeFailure(new UsageError(text.trim()), null).error })}\n`;
}

function argumentsOf(command: Command): string {
  return command.registeredArguments.map((one) => (one.required ? `<${nameOf(one)}>` : `[${nameOf(one)}]`)).join(" ");
}

function nameOf(argument: Argument): string {
  return argument.variadic ? `${argument.name()}...` : argument.name();
}
