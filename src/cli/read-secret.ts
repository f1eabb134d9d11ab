// Secrets come in by ways on which nobody else sees them: never as an argument, which every user of the machine can
// read in the list of processes and which stays in the shell's history.

import { text as readAll } from "node:stream/consumers";
import { canAsk } from "./confirm.ts";
import { ExpectedError } from "./expected-error.ts";
import { UsageError } from "./usage-error.ts";

const ENTER = ["\r", "\n", "\u0004"];
const CTRL_C = "\u0003";
const BACKSPACE = ["\u007f", "\b"];

/** From an environment variable, typed without echo at a terminal, or from standard input. */
export async function readSecret({ what, fromEnv }: { what: string; fromEnv?: string | undefined }): Promise<string> {
  if (fromEnv !== undefined) {
    const value = process.env[fromEnv];
    if (value === undefined || value === "") throw new UsageError(`The environment variable ${fromEnv} is not set`);
    return value;
  }
  const given = canAsk() ? await typed(`${what} (not shown): `) : await piped();
  if (given === "") throw new UsageError(`No ${what} was given: pipe it in, type it at the prompt, or use --from-env`);
  return given;
}

/** `echo` and editors end the last line, which is hardly ever meant. */
async function piped(): Promise<string> {
  if (process.stdin.isTTY) return await typed("");
  return (await readAll(process.stdin)).replace(/\r?\n$/, "");
}

async function typed(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  // First no echo, then the question: whoever is quick is not shown either.
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").resume();
  stderr.write(prompt);
  let value = "";
  try {
    for await (const chunk of stdin)
      for (const key of chunk as string) {
        if (key === CTRL_C) throw new ExpectedError("Nothing was done.");
        if (ENTER.includes(key)) return value;
        value = BACKSPACE.includes(key) ? value.slice(0, -1) : value + key;
      }
    return value;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}
