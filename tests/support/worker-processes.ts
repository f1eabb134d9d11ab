import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { makeTestFolder } from "./database.ts";
import { ADMIN_KEY } from "./nodes.ts";
import type { Handling, WorkerProgramOptions } from "./worker-program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Workers as processes of their own, and what they say they handled. */
export class WorkerProcesses {
  readonly #url: string;
  readonly #folder: string;
  readonly #file: string;
  #count = 0;

  constructor(url: string) {
    this.#url = url;
    this.#folder = makeTestFolder();
    this.#file = join(this.#folder, "handlings.jsonl");
    writeFileSync(this.#file, "");
    onTestFinished(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Resolves when the server knows it. */
  async start(options: Partial<WorkerProgramOptions> = {}): Promise<WorkerProcess> {
    this.#count += 1;
    const id = options.id ?? `worker-${this.#count}`;
    const given: WorkerProgramOptions = {
      url: this.#url,
      key: ADMIN_KEY,
      leaseMs: 5_000,
      concurrency: 10,
      file: this.#file,
      ...options,
      id,
    };
    const worker = new WorkerProcess(id, given);
    onTestFinished(() => worker.kill9());
    await worker.started();
    return worker;
  }

  handlings(): Handling[] {
    const lines = readFileSync(this.#file, "utf8").split("\n");
    // What follows the last line feed is a line that is being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Handling);
  }
}

export class WorkerProcess {
  readonly id: string;
  readonly process: ChildProcess;
  readonly #ended: Promise<unknown>;
  err = "";

  constructor(id: string, options: WorkerProgramOptions) {
    this.id = id;
    this.process = spawn(
      process.execPath,
      ["--import", "tsx", "tests/support/worker-program.ts", JSON.stringify(options)],
      { cwd: ROOT, stdio: ["pipe", "pipe", "pipe"] },
    );
    this.#ended = once(this.process, "close");
    this.process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
  }

  async started(): Promise<void> {
    await Promise.race([
      once(this.process.stdout!, "data"),
      this.#ended.then(() => Promise.reject(new Error(`${this.id} did not start: ${this.err}`))),
    ]);
  }

  get running(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Ends as by a power cut; its exit has been seen when this resolves. */
  async kill9(): Promise<void> {
    if (this.running) this.process.kill("SIGKILL");
    await this.#ended;
  }

  /** SIGTERM, as at every deployment. */
  async stop(): Promise<{ code: number | null }> {
    this.process.kill("SIGTERM");
    await this.#ended;
    return { code: this.process.exitCode };
  }

  freeze(): void {
    this.process.kill("SIGSTOP");
  }

  thaw(): void {
    this.process.kill("SIGCONT");
  }
}
