// `punctual dev` as a newcomer starts it: a process of its own, on a database of the test's own, to be killed and started again.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, onTestFinished, vi } from "vitest";
import { PunctualClient } from "../../src/client/index.ts";
import { type CleanUp, type Command, startCommand } from "./command.ts";
import { createTestDatabase, makeTestFolder } from "./database.ts";

export interface DevServer {
  url: string;
  /** Signs in, once. */
  link: string;
  apiKey: string;
  databaseUrl: string;
  client: PunctualClient;
  /** As by a power cut. */
  kill9(): Promise<void>;
  /** SIGTERM: closes, drains, and ends. */
  stop(): Promise<void>;
  /** At the same address as before; it has a new link. */
  startAgain(): Promise<void>;
}

/** One server for all tests of a file, which therefore keep to jobs of their own. */
export function useDevServer(prepare: (server: DevServer) => Promise<unknown> = async () => {}): () => DevServer {
  let server: DevServer;
  beforeAll(async () => {
    const ends: (() => Promise<void>)[] = [];
    server = await startDevServer((end) => ends.unshift(end));
    await prepare(server);
    return async () => {
      for (const end of ends) await end();
    };
  }, 240_000);
  return () => server;
}

/** One server for one test. */
export async function startDevServer(cleanUp: CleanUp = onTestFinished): Promise<DevServer> {
  const database = await createTestDatabase();
  const folder = makeTestFolder();
  cleanUp(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const begin = (port: string) => start({ folder, databaseUrl: database.url, port, cleanUp });
  let running = await begin("0");
  const server: DevServer = {
    ...running.facts,
    databaseUrl: database.url,
    client: new PunctualClient({ url: running.facts.url, key: running.facts.apiKey }),
    kill9: async () => {
      running.command.child.kill("SIGKILL");
      await running.command.ended;
    },
    stop: async () => {
      running.command.child.kill("SIGTERM");
      await running.command.ended;
    },
    startAgain: async () => {
      running = await begin(new URL(server.url).port);
      server.link = running.facts.link;
    },
  };
  return server;
}

interface Place {
  folder: string;
  databaseUrl: string;
  port: string;
  cleanUp: CleanUp;
}

async function start({ folder, databaseUrl, port, cleanUp }: Place) {
  const env = { PATH: process.env.PATH, HOME: folder, PUNCTUAL_DATABASE_URL: databaseUrl, PUNCTUAL_PORT: port };
  const command = startCommand(["dev", "--data-dir", join(folder, "data")], { cwd: folder, env, cleanUp });
  const facts = await printed(command);
  return { command, facts };
}

/** What its banner says. */
async function printed({ seen, child }: Command): Promise<{ url: string; link: string; apiKey: string }> {
  const fact = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, "m").exec(seen.out)?.[1];
  await vi.waitUntil(() => fact("API key") !== undefined || child.exitCode !== null, { timeout: 60_000 });
  const [url, link, apiKey] = [fact("Address"), fact("Sign in"), fact("API key")];
  if (!url || !link || !apiKey) throw new Error(`dev did not start:\n${seen.out}${seen.err}`);
  return { url, link, apiKey };
}
