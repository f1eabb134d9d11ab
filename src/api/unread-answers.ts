import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * Ends connections whose client takes nothing of a finished answer: Node would keep the answer in memory for ever. The time
 * is that without any progress, so a slow line is no fault; once all is taken, Node sets that between two requests.
 */
export function cutOffUnread(server: Server, { unreadMs }: { unreadMs: number }): void {
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    response.once("prefinish", () => response.setTimeout(unreadMs));
  });
}
