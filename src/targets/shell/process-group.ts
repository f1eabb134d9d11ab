import type { ChildProcess } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** After being killed a process is gone at once, unless the kernel itself waits for a disk or a network share. */
const KILLED_MS_MAX = 2_000;
const LOOK_MS = 20;

/** A child that leads a group of its own, and everything it started that did not leave the group. */
export class ProcessGroup {
  /** How the child ended; others of its group may live on. */
  readonly exited: Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>;
  readonly #id: number;

  constructor(child: ChildProcess & { pid: number }) {
    this.#id = child.pid;
    this.exited = new Promise((resolve) => child.once("exit", (exitCode, signal) => resolve({ exitCode, signal })));
  }

  /** Asks all of them to end, and kills those that have not after the time given. False: some could not be killed. */
  async end(graceMs: number): Promise<boolean> {
    this.#send("SIGTERM");
    if (await this.#goneWithin(graceMs)) return true;
    this.kill();
    return await this.#goneWithin(KILLED_MS_MAX);
  }

  kill(): void {
    this.#send("SIGKILL");
  }

  async #goneWithin(ms: number): Promise<boolean> {
    for (const until = performance.now() + ms; await this.#isThere(); await sleep(LOOK_MS))
      if (performance.now() >= until) return false;
    return true;
  }

  async #isThere(): Promise<boolean> {
    // Signal 0 is sent to nobody: it asks whether there is anybody.
    return this.#send(0) && (await hasLiving(this.#id));
  }

  /** False if nobody is left. */
  #send(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(-this.#id, signal);
      return true;
    } catch (error) {
      // Anything else, such as EPERM of a program that became another user, means that somebody is there.
      return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
  }
}

/**
 * Whether a group has anybody who is more than an entry in the process table. In a container whose first process looks after
 * no orphans such entries stay; where there is no /proc they are taken for the living.
 */
async function hasLiving(group: number): Promise<boolean> {
  const entries = await readdir("/proc").catch(() => null);
  if (entries === null) return true;
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    // pid (name) state parent group …, where the name may contain anything.
    const [state, , its] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(its) === group && state !== "Z" && state !== "X") return true;
  }
  return entries.length === 0;
}
