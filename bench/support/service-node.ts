// A node of the service in a process of its own, and what it takes up.

import { readFileSync } from "node:fs";
import type { NodeOptions } from "../contestants/punctual-node.ts";
import { processorSeconds } from "./processor-time.ts";
import { PunctualClient } from "./product.ts";
import { Program } from "./program.ts";

export class ServiceNode {
  readonly client: InstanceType<typeof PunctualClient>;
  readonly url: string;
  readonly key: string;
  readonly #program: Program;

  private constructor(program: Program, { url, key }: { url: string; key: string }) {
    this.#program = program;
    this.url = url;
    this.key = key;
    this.client = new PunctualClient({ url, key });
  }

  static async start(options: NodeOptions): Promise<ServiceNode> {
    const program = await Program.start(new URL("../contestants/punctual-node.ts", import.meta.url));
    try {
      return new ServiceNode(program, await program.call<{ url: string; key: string }>("start", options));
    } catch (error) {
      await program.stop();
      throw error;
    }
  }

  /** Seconds of processor time since its start. */
  spent(): number {
    return processorSeconds(this.#program.pid) ?? Number.NaN;
  }

  /** Resident memory in MB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#program.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  }

  /** A metric without labels, or the sum over its labels. */
  async metric(name: string): Promise<number> {
    const text = await (await this.get("/metrics")).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async get(path: string): Promise<Response> {
    const response = await fetch(this.url + path, { headers: { authorization: `Bearer ${this.key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async stop(): Promise<void> {
    await this.#program.call("stop");
    await this.#program.stop();
  }
}
