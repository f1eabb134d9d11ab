// Those who follow the log of an execution while it runs. The database is asked again and again, because lines are written by
// any node; each answer says in what state the execution is as well, and after a final state with all its lines the stream
// ends. A client that reads slowly is waited for; one that comes back names the last line it saw.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import type { LogLevel } from "../contract/log.ts";
import { type LogPosition, logCursor } from "../contract/log-query.ts";
import { hasRoom } from "../core/fair-room.ts";
import { isFinal } from "../core/states.ts";
import type { Store } from "../store/port.ts";
import type { ApiOptions } from "./deps.ts";
import { beginEvents } from "./server-sent-events.ts";

const LINES_PER_READ = 500;
const RUNNING_MS = 300;
/** While it does not run, or the database does not answer. */
const RESTING_MS = 1_000;

export interface Followed {
  projectId: string;
  executionId: string;
  after: LogPosition | null;
  level: LogLevel;
}

type FollowerOptions = Pick<ApiOptions, "pingMs" | "logFollowersMax" | "timeouts">;

export class LogFollowers {
  readonly #store: Store;
  readonly #options: FollowerOptions;
  readonly #followers = new Set<{ projectId: string; stop: AbortController }>();

  constructor(store: Store, options: FollowerOptions) {
    this.#store = store;
    this.#options = options;
  }

  hasRoomFor(projectId: string): boolean {
    return hasRoom(projectId, this.#followers, this.#options.logFollowersMax);
  }

  add(reply: FastifyReply, followed: Followed): void {
    const out = beginEvents(reply, this.#options.timeouts);
    const stop = new AbortController();
    const ping = setInterval(() => out.write(": ping\n\n"), this.#options.pingMs);
    const follower = { projectId: followed.projectId, stop };
    this.#followers.add(follower);
    out.once("close", () => stop.abort());
    out.once("error", () => stop.abort());
    void this.#follow(out, followed, stop.signal)
      // Only ever that it was stopped.
      .catch(() => {})
      .finally(() => {
        clearInterval(ping);
        this.#followers.delete(follower);
        out.end();
      });
  }

  /** Streams would keep a server that closes open for ever. */
  endAll(): void {
    for (const { stop } of this.#followers) stop.abort();
  }

  async #follow(out: ServerResponse, followed: Followed, signal: AbortSignal): Promise<void> {
    let { after } = followed;
    for (;;) {
      const found = await this.#read({ ...followed, after });
      signal.throwIfAborted();
      if (found === "gone") return;
      const lines = found === "away" ? [] : found.lines;
      for (const line of lines) {
        const event = `id: ${logCursor(line)}\nevent: log\ndata: ${JSON.stringify(line)}\n\n`;
        if (!out.write(event)) await once(out, "drain", { signal });
        after = line;
      }
      if (lines.length === LINES_PER_READ) continue;
      if (found !== "away" && isFinal(found.state)) {
        out.write(`event: end\ndata: ${JSON.stringify({ state: found.state })}\n\n`);
        return;
      }
      const restMs = found !== "away" && found.state === "running" ? RUNNING_MS : RESTING_MS;
      await sleep(restMs, undefined, { signal });
    }
  }

  /** A database that is away for a moment is no reason to send anybody away. */
  async #read({ projectId, executionId, after, level }: Followed) {
    try {
      const page = { after, level, limit: LINES_PER_READ };
      return (await this.#store.logs.read(projectId, executionId, page)) ?? "gone";
    } catch {
      return "away";
    }
  }
}
