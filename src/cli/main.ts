import { CommanderError } from "commander";
import { buildProgram } from "./program.ts";
import { packageVersion } from "./version.ts";

// A reader that has seen enough (`punctual config | head -1`) closes the pipe; that is no reason to crash.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exit(await run(process.argv));

async function run(argv: string[]): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(packageVersion(), (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    // The parser has said what is wrong; asked for help or the version, nothing is.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}
