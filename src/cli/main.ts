import { CommanderError } from "commander";
import { allWritten } from "./all-written.ts";
import { buildProgram } from "./program.ts";
import { packageVersion } from "./version.ts";

// A reader that has seen enough (`punctual config | head -1`) closes the pipe; that is no reason to crash.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

let exitCode = 0;
await run(process.argv);
await allWritten();
process.exit(exitCode);

async function run(argv: string[]): Promise<void> {
  const program = buildProgram(packageVersion(), finish, { json: asksForJson(argv) });
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The parser has said what is wrong; asked for help or the version, nothing is.
    finish(error.exitCode === 0 ? 0 : 2);
  }
}

/** A failure stays one, also if the command was done when its words could not be written. */
function finish(code: number): void {
  exitCode ||= code;
}

/** Asked before anything is parsed, because it also holds for what the parser has to say. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end).includes("--json");
}
