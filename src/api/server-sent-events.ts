import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";

/** How long a client is asked to wait before it comes back. */
const RECONNECT_MS = 1_000;

/**
 * Takes a connection over for events: its head is written, and what follows is up to whoever has it now. A client that takes
 * nothing for so long that even the pings do not leave is cut off.
 */
export function beginEvents(reply: FastifyReply, { unreadMs }: { unreadMs: number }): ServerResponse {
  reply.hijack();
  reply.raw.setTimeout(unreadMs);
  const headers = {
    ...reply.getHeaders(),
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    // Proxies must not collect what is meant to arrive at once.
    "x-accel-buffering": "no",
  };
  reply.raw.writeHead(200, headers as Record<string, string>);
  reply.raw.write(`retry: ${RECONNECT_MS}\n\n`);
  return reply.raw;
}
