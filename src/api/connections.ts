// Lets a server close as soon as its requests are answered. Node ends connections that have been used and are idle, but not
// those that a browser or client opened ahead and never used, and an answer that is finished during the close may leave its
// connection open for the next request: either would hold the process for a minute.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  readonly #busy = new Map<Socket, number>();
  #closing = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#busy.set(socket, 0);
      socket.once("close", () => this.#busy.delete(socket));
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#add(socket, 1);
      response.once("close", () => this.#add(socket, -1));
    });
  }

  /** From now on a connection ends with its last answer; those without a request end at once. */
  close(): void {
    this.#closing = true;
    for (const [socket, requests] of this.#busy) if (requests === 0) socket.destroy();
  }

  #add(socket: Socket, requests: 1 | -1): void {
    const before = this.#busy.get(socket);
    if (before === undefined) return;
    this.#busy.set(socket, before + requests);
    if (this.#closing && before + requests === 0) socket.end();
  }
}
