import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server on this machine that answers at once, in a process of its own, so that it does not answer in the node's time. */
export class LocalTarget {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.url = `http://127.0.0.1:${port}/`;
  }

  static async start(): Promise<LocalTarget> {
    const child = fork(fileURLToPath(new URL("./target-server.js", import.meta.url)), {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the target's process ended with ${code}`);
    });
    const [port] = (await Promise.race([once(child, "message"), ended])) as [number];
    ended.catch(() => {});
    return new LocalTarget(child, port);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    // It has nothing to finish; without its parent it ends by itself.
    this.#process.kill("SIGKILL");
    await ended;
  }
}
