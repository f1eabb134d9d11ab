// One run of a command: started in a process group of its own, given its input, listened to, and waited for. It ends in one
// of two ways: by itself, or called off, and then everything in its group is ended with it.
//
// What it leaves behind must not hold the run up: a process in the background that keeps the command's output open would
// keep it from ever being over. So, once the command itself has ended, its output is read for a moment longer, and who
// still holds it open then is killed.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogLevel } from "../../contract/log.ts";
import { LOG_BYTES_MAX, LOG_LINES_MAX } from "../../contract/log-limits.ts";
import type { AttemptSignal } from "../port/attempt-abort.ts";
import type { AbortReason, Reporter } from "../port.ts";
import type { Redaction } from "../redaction.ts";
import { CallRefused } from "../refusal.ts";
import type { CommandUser } from "./command-user.ts";
import { OutputLines } from "./output-lines.ts";
import { ProcessGroup } from "./process-group.ts";

/** How long the output of a command that has ended is waited for. */
const OPEN_AFTER_EXIT_MS = 1_000;
const LOOK_MS = 50;

export interface Command {
  program: string;
  args: string[];
  env: Record<string, string>;
  /** Without it: the node's own. */
  cwd: string | undefined;
  user: CommandUser | null;
  input: string;
}

export type CommandEnd =
  | { kind: "exited"; exitCode: number | null; signal: NodeJS.Signals | null; lastError: string | null }
  | { kind: "called_off"; reason: AbortReason; survived: boolean };

type Child = ChildProcessByStdio<Writable, Readable, Readable> & { pid: number };

export class CommandRun {
  readonly group: ProcessGroup;
  readonly #child: Child;
  readonly #reporter: Reporter;
  readonly #redaction: Redaction;
  #lastError: string | null = null;
  #saidLines = 0;
  #saidCharacters = 0;
  /** Outputs from which something is waited for; not those whose lines wait for room in the log. */
  #awaited = 0;

  private constructor(child: Child, options: { reporter: Reporter; redaction: Redaction }) {
    this.#child = child;
    this.#reporter = options.reporter;
    this.#redaction = options.redaction;
    this.group = new ProcessGroup(child);
  }

  /** Throws CallRefused if the command cannot be run as it is written. */
  static async start(command: Command, options: { reporter: Reporter; redaction: Redaction }): Promise<CommandRun> {
    await refuseFolder(command.cwd);
    const run = new CommandRun(await started(command), options);
    // A command need not read its input.
    run.#child.stdin.on("error", () => {});
    run.#child.on("error", () => {});
    run.#child.stdin.end(command.input);
    return run;
  }

  async end(signal: AttemptSignal, graceMs: number): Promise<CommandEnd> {
    const output = Promise.all([this.#listen("stdout", "info"), this.#listen("stderr", "warn")]);
    const calledOff = aborted(signal);
    const exit = await Promise.race([this.group.exited, calledOff.happened]);
    const survived = exit === null && !(await this.group.end(graceMs));
    await this.#closeOutput(output);
    calledOff.forget();
    this.#child.unref();
    if (exit === null) return { kind: "called_off", reason: signal.reason as AbortReason, survived };
    return { kind: "exited", ...exit, lastError: this.#lastError };
  }

  async #listen(stream: "stdout" | "stderr", level: LogLevel): Promise<void> {
    const lines = new OutputLines(this.#redaction);
    this.#awaited += 1;
    try {
      for await (const bytes of this.#child[stream])
        if (!this.#isFull) await this.#tell(lines.read(bytes as Buffer), stream, level);
    } catch {
      // Closed by #closeOutput.
    }
    await this.#tell(lines.end(), stream, level);
    this.#awaited -= 1;
  }

  async #tell(lines: Iterable<string>, stream: "stdout" | "stderr", level: LogLevel): Promise<void> {
    this.#awaited -= 1;
    for (const line of lines) {
      if (this.#isFull) break;
      this.#saidLines += 1;
      this.#saidCharacters += line.length;
      this.#reporter.log(level, line, { stream });
      if (stream === "stderr" && line.trim() !== "") this.#lastError = line;
      await this.#reporter.ready();
    }
    if (this.#isFull) this.#lastError = null;
    this.#awaited += 1;
  }

  /** No log keeps more: what a command writes beyond it is read, so that it can go on, but no longer looked at. */
  get #isFull(): boolean {
    return this.#saidLines > LOG_LINES_MAX || this.#saidCharacters > LOG_BYTES_MAX;
  }

  async #closeOutput(output: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = output.then(() => {
      isOver = true;
    });
    for (let waitedMs = 0; !isOver && waitedMs < OPEN_AFTER_EXIT_MS; ) {
      await Promise.race([over, sleep(LOOK_MS)]);
      if (this.#awaited > 0) waitedMs += LOOK_MS;
    }
    this.#child.stdin.destroy();
    if (isOver) return;
    this.#reporter.log(
      "warn",
      "the command's output was closed: processes that it left behind kept it open; they were killed",
    );
    this.group.kill();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    await over;
  }
}

async function refuseFolder(cwd: string | undefined): Promise<void> {
  if (cwd === undefined) return;
  const found = await stat(cwd).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    throw new CallRefused(
      "working_folder",
      `target.cwd: "${cwd}" cannot be entered on the node's machine (${found.code})`,
    );
  if (!found.isDirectory()) throw new CallRefused("working_folder", `target.cwd: "${cwd}" is not a folder`);
}

async function started(command: Command): Promise<Child> {
  const { program, args, env, cwd, user } = command;
  try {
    const child = spawn(program, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      // The user's own group and no others: those of the node are not its business.
      ...(user === null || user.uid === process.getuid?.() ? {} : { uid: user.uid, gid: user.gid }),
      // Not to run apart from the node, but to lead a group that can be ended as a whole.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    await once(child, "spawn");
    return child as Child;
  } catch (error) {
    throw refusal(command, error as NodeJS.ErrnoException) ?? error;
  }
}

/** What is wrong with the command itself; null: the machine had no room for it. */
function refusal({ program, user }: Command, { code }: NodeJS.ErrnoException): CallRefused | null {
  const by = user === null ? "" : ` by "${user.name}"`;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return new CallRefused(
        "command_not_found",
        `target.command: there is no "${program}", or not the interpreter it names, on the node's machine`,
      );
    case "EACCES":
    case "EPERM":
    case "ENOEXEC":
    case "EISDIR":
      return new CallRefused(
        "command_not_executable",
        `target.command: "${program}" may not be executed${by} (${code})`,
      );
    case "E2BIG":
      return new CallRefused(
        "template",
        "the arguments and variables are too long for the node's machine once filled in",
      );
    default:
      return null;
  }
}

function aborted(signal: AttemptSignal): { happened: Promise<null>; forget(): void } {
  let listener = () => {};
  const happened = new Promise<null>((resolve) => {
    listener = () => resolve(null);
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener);
  });
  return { happened, forget: () => signal.removeEventListener("abort", listener) };
}
