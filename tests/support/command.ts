// The built program as a person or a script starts it: a process of its own, its output, its exit code.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const PROGRAM = fileURLToPath(new URL("../../bin/punctual", import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Command {
  child: ChildProcess;
  /** What it has printed so far. */
  seen: { out: string; err: string };
  ended: Promise<Ended>;
}

export interface CommandOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** What it reads; without it there is nothing to read. */
  input?: string | undefined;
  cleanUp?: CleanUp | undefined;
}

/** When it is killed, if it still runs: when the test is over, unless told otherwise. */
export type CleanUp = (end: () => Promise<void>) => void;

export function startCommand(args: readonly string[], { cwd, env, input, cleanUp }: CommandOptions): Command {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  return watch(child, cleanUp);
}

export function watch(child: ChildProcess, cleanUp: CleanUp = onTestFinished): Command {
  const seen = { out: "", err: "" };
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    seen.out += text;
  });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    seen.err += text;
  });
  const ended = once(child, "close").then(([code]): Ended => ({ code: code as number | null, ...seen }));
  cleanUp(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, seen, ended };
}
