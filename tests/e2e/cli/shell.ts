// A node, and a shell beside it: the built program in processes of its own, as a person or a script calls it.
import { type StdioOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { vi } from "vitest";
import { readSettings } from "../../../src/contract/read-settings.ts";
import { createLog, startNode } from "../../../src/main.ts";
import { type Ended, PROGRAM, startCommand, watch } from "../../support/command.ts";
import { createTestDatabase, makeTestFolder } from "../../support/database.ts";

const API_KEY = "the-key-of-the-shell-in-these-tests-0123456789";

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
}

/** What is typed once the question is seen. */
export type Answers = readonly (readonly [question: string, answer: string])[];

export class Shell {
  readonly url: string;
  readonly folder: string;
  readonly #stop: () => Promise<void>;

  constructor(url: string, folder: string, stop: () => Promise<void>) {
    this.url = url;
    this.folder = folder;
    this.#stop = stop;
  }

  /** Runs a command to its end. */
  async run(args: string[], options: RunOptions = {}): Promise<Ended> {
    return await this.start(args, options).ended;
  }

  /** Runs a command that has to succeed, and reads the JSON it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  async json(...args: string[]): Promise<any> {
    const { code, out, err } = await this.run([...args, "--json"]);
    if (code !== 0) throw new Error(`punctual ${args.join(" ")} ended with ${code}: ${err}`);
    return out === "" ? undefined : JSON.parse(out);
  }

  start(args: string[], { input, env = {} }: RunOptions = {}) {
    return startCommand(args, { cwd: this.folder, env: this.environment(env), input });
  }

  /** A line for a shell, such as one with a pipe in it. */
  startLine(line: string) {
    const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
    return watch(spawn("sh", ["-c", line], { cwd: this.folder, env: this.environment(), stdio }));
  }

  /** A command at a terminal of so many columns, with a person who answers. What is printed comes back as one text. */
  async atTerminal(
    line: string,
    { columns = 80, answers = [] }: { columns?: number; answers?: Answers } = {},
  ): Promise<{ code: number | null; text: string }> {
    const command = `stty cols ${columns} rows 50; ${process.execPath} ${PROGRAM} ${line}`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: this.folder,
      env: { ...this.environment(), TERM: "xterm" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { seen, ended } = watch(child);
    for (const [question, answer] of answers) {
      await vi.waitUntil(() => seen.out.includes(question) || child.exitCode !== null, { timeout: 30_000 });
      child.stdin!.write(answer);
    }
    const { code, out } = await ended;
    return { code, text: out.replaceAll("\r\n", "\n") };
  }

  /** Nothing of the caller's variables, and a home of its own, so that nobody's contexts are touched. */
  environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.folder,
      PUNCTUAL_URL: this.url,
      PUNCTUAL_API_KEY: API_KEY,
      ...extra,
    };
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A node as `dev` runs it, in this process, on a database of its own. */
export async function startShell(): Promise<Shell> {
  const database = await createTestDatabase();
  const folder = makeTestFolder();
  const environment = {
    PUNCTUAL_PORT: "0",
    PUNCTUAL_NODE_NAME: "node-1",
    PUNCTUAL_ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
  };
  const read = readSettings("dev", { flags: {}, environment, file: null, hostname: "node-1" });
  if (read.kind !== "valid") throw new Error(JSON.stringify(read.problems));
  const log = createLog({ level: process.env.TEST_LOG ? "warn" : "silent" });
  const node = await startNode(read.settings, { log, databaseUrl: database.url, dev: true, apiKey: API_KEY });
  return new Shell(node.url, folder, async () => {
    await node.stop();
    await database.drop();
  });
}

/** An address where nothing listens any more. */
export async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}
