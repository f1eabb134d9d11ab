// The nodes of a benchmark, in this process: one that takes requests and plans for as long as it lasts, and for each
// measurement one that makes the calls. So work can be laid out before anybody takes it up.

import { randomBytes } from "node:crypto";
import { PunctualClient } from "../../client/index.ts";
import { readSettings } from "../../contract/read-settings.ts";
import type { Settings } from "../../contract/settings.ts";
import { makeApiKey } from "../../core/api-key.ts";
import { createLog, type RunningNode, startNode } from "../../main.ts";

/** As many as a node has unless it is told otherwise. */
export const CONCURRENCY = 200;

export class BenchNodes {
  readonly #databaseUrl: string;
  readonly #apiKey = makeApiKey();
  readonly #encryptionKey = randomBytes(32);
  readonly #running: RunningNode[] = [];
  #client: PunctualClient | null = null;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  async startKeeper(): Promise<void> {
    const { url } = await this.#start("api,planner");
    this.#client = new PunctualClient({ url, key: this.#apiKey });
  }

  get client(): PunctualClient {
    if (this.#client === null) throw new Error("the node that answers was not started");
    return this.#client;
  }

  /** Runs `work` while there is a node that makes calls. */
  async dispatching<T>(work: () => Promise<T>): Promise<T> {
    const node = await this.#start("dispatcher");
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(node), 1);
      await node.stop();
    }
  }

  async stop(): Promise<void> {
    for (const node of this.#running.splice(0)) await node.stop();
  }

  async #start(roles: string): Promise<RunningNode> {
    const node = await startNode(this.#settings(roles), {
      log: createLog({ level: "silent" }),
      databaseUrl: this.#databaseUrl,
      dev: true,
      apiKey: this.#apiKey,
    });
    this.#running.push(node);
    return node;
  }

  /** Those of `dev`, whatever the environment says: a benchmark that obeys it measures something else on each machine. */
  #settings(roles: string): Settings {
    const flags = { roles, port: "0", concurrency: String(CONCURRENCY), logLevel: "silent" };
    const read = readSettings("dev", { flags, environment: {}, file: null, hostname: "bench" });
    if (read.kind === "invalid") throw new Error(JSON.stringify(read.problems));
    return Object.freeze({ ...read.settings, encryptionKeys: Object.freeze([this.#encryptionKey]) });
  }
}
