// A process that does its part of a benchmark: a module whose exported functions are called from here, one message each way.
// Every contestant gets one of its own, new for every round, so that none inherits another's heap or compiled code.
//
//   const program = await Program.start(new URL("./contestants/drain.ts", import.meta.url));
//   const { elapsedMs } = await program.call<Drained>("drain", { count: 50_000 });
//   await program.stop();

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How long a process may take to end by itself. */
const END_MS_MAX = 10_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export type Answer = { id: number; value: unknown } | { id: number; error: string };
export interface Call {
  id: number;
  step: string;
  given: unknown;
}

export class Program {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #calls = 0;

  private constructor(process: ChildProcess, name: string) {
    this.#process = process;
    process.on("message", (answer: Answer) => this.#answered(answer));
    this.#ended = new Promise((resolve) => {
      process.once("exit", (code, signal) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(`${name} ended with ${signal ?? code}`));
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /** `flags` are those of Node, such as `--cpu-prof`. */
  static async start(module: URL, { flags = [] }: { flags?: string[] } = {}): Promise<Program> {
    const host = fileURLToPath(new URL("./program-host.ts", import.meta.url));
    const child = fork(host, [module.href], { execArgv: flags, serialization: "advanced" });
    const program = new Program(child, fileURLToPath(module));
    await program.call("", null);
    return program;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Calls an exported function of the module, in its process. */
  async call<Result>(step: string, given: unknown = null): Promise<Result> {
    const id = ++this.#calls;
    return await new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.#process.send({ id, step, given } satisfies Call, (error) => {
        if (error) reject(error);
      });
    });
  }

  /** Lets it end by itself, which it does when nobody is left to call it. */
  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    const patience = setTimeout(() => this.#process.kill("SIGKILL"), END_MS_MAX);
    await this.#ended;
    clearTimeout(patience);
  }

  #answered(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("error" in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.value);
  }
}
