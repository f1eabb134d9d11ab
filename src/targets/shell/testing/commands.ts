import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { type JobSpec, jobInputSchema } from "../../../contract/job.ts";
import type { Json } from "../../../contract/json.ts";
import type { LogLevel } from "../../../contract/log.ts";
import type { ShellTarget } from "../../../contract/target.ts";
import type { Call, Reporter } from "../../port.ts";
import { type ShellTargetOptions, ShellTargetRunner } from "../runner.ts";

export interface Told {
  level: LogLevel;
  message: string;
  stream: Json | undefined;
}

/** Keeps what it is told. */
export class Listener implements Reporter {
  readonly lines: Told[] = [];
  readonly #heard: (() => void)[] = [];

  log(level: LogLevel, message: string, fields?: Record<string, Json>): void {
    this.lines.push({ level, message, stream: fields?.stream });
    for (const look of this.#heard) look();
  }

  async ready(): Promise<void> {}

  progress(): void {}

  /** The messages of one stream. */
  of(stream: "stdout" | "stderr"): string[] {
    return this.lines.filter((line) => line.stream === stream).map(({ message }) => message);
  }

  /** Resolves with the first line that matches, also if it was said before. */
  async hears(pattern: RegExp): Promise<string> {
    return await new Promise((resolve) => {
      const look = () => {
        const line = this.lines.find(({ message }) => pattern.test(message));
        if (line) resolve(line.message);
      };
      this.#heard.push(look);
      look();
    });
  }
}

export function makeRunner(
  options: Partial<ShellTargetOptions> & { secrets?: Record<string, string> } = {},
): ShellTargetRunner {
  const { secrets = {}, ...rest } = options;
  const vault = {
    secrets: async (_: string, names: string[]) =>
      new Map(names.flatMap((name): [string, string][] => (name in secrets ? [[name, secrets[name]!]] : []))),
  };
  const runner = new ShellTargetRunner(vault, {
    users: [],
    environment: { PATH: process.env.PATH },
    allowed: ["PATH"],
    ...rest,
  });
  onTestFinished(() => runner.close());
  return runner;
}

/** A call as the dispatcher makes it: the job has passed the contract's schema. */
export function makeCall(
  target: Record<string, unknown>,
  overrides: Partial<Call<ShellTarget>> = {},
): Call<ShellTarget> & { reporter: Listener } {
  const payload = overrides.payload ?? { order: 17 };
  const input = jobInputSchema.parse({ name: "nightly-report", target: { type: "shell", ...target }, payload });
  return {
    executionId: "0198f0c1-2345-8abc-8def-0123456789ab",
    rootId: "0198f0c1-0000-8abc-8def-0123456789ab",
    attempt: 2,
    trigger: "schedule",
    scheduledAt: new Date(Date.UTC(2026, 11, 1, 1, 0, 0)),
    startedAt: new Date(Date.UTC(2026, 11, 1, 1, 0, 0)),
    projectId: "project",
    jobId: "0198f0c1-1111-7abc-8def-0123456789ab",
    jobVersion: 3,
    job: input as JobSpec & { target: ShellTarget },
    payload,
    callbackUrl: null,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ...overrides,
    reporter: new Listener(),
  };
}

/** What `sh` is to do; positional arguments follow. */
export function script(text: string, ...args: string[]): { command: string; args: string[] } {
  return { command: "sh", args: ["-c", text, "sh", ...args] };
}

/** More than an entry in the process table that nobody has asked about yet. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
