import type { Session } from "../contract/account.ts";
import type { Page } from "../contract/page.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** Where one is signed in oneself; for people only, a key has no sessions. */
export class SessionsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them, newest first. */
  list(options?: CallOptions): Promise<Page<Session>> {
    return this.#transport.json({ method: "GET", path: "/sessions", options });
  }

  /** Ends one, at once and on all nodes. */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: `/sessions/${encodeURIComponent(id)}`, options });
  }
}
