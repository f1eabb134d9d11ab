import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { makeTestFolder } from "./database.ts";
import type { Call } from "./target-server.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The target server, seen from the test that started it. */
export class Target {
  readonly url: string;
  readonly #file: string;

  constructor(url: string, file: string) {
    this.url = url;
    this.#file = file;
  }

  /** Every call that was answered or given up so far. */
  calls(): Call[] {
    const lines = readFileSync(this.#file, "utf8").split("\n");
    // What follows the last line feed is a line that is being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Call);
  }

  /** How many calls have arrived and are not answered yet. */
  async underway(): Promise<number> {
    return Number(await (await fetch(`${this.url}/underway`)).text());
  }
}

export async function startTarget(): Promise<Target> {
  const folder = makeTestFolder();
  const file = join(folder, "calls.jsonl");
  const server: ChildProcess = spawn(process.execPath, ["--import", "tsx", "tests/support/target-server.ts", file], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const [port] = (await Promise.race([
    once(server.stdout!, "data"),
    ended.then(() => Promise.reject(new Error("the target server ended before it listened"))),
  ])) as [Buffer];
  return new Target(`http://127.0.0.1:${Number(port)}`, file);
}
