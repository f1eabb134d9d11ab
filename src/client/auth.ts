import type { Login, Setup, Ways } from "../contract/account.ts";
import type { Me } from "../contract/me.ts";
import type { CallOptions, Transport } from "./transport.ts";

/**
 * Signing in and out, for a page in a browser: the answer sets a cookie, which the browser keeps and sends by itself. None of
 * it is asked for twice: a link works once, and a password that was refused is refused again.
 */
export class AuthApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How one may sign in here. */
  ways(options?: CallOptions): Promise<Ways> {
    return this.#transport.json({ method: "GET", path: "/auth/ways", options });
  }

  /** Chooses a password, by a set-up link or an invitation, and signs in. */
  setup(input: Setup, options?: CallOptions): Promise<Me> {
    return this.#transport.json({ method: "POST", path: "/auth/setup", body: input, repeatable: false, options });
  }

  /** With address and password, or with the token of a link. */
  login(input: Login, options?: CallOptions): Promise<Me> {
    return this.#transport.json({ method: "POST", path: "/auth/login", body: input, repeatable: false, options });
  }

  async logout(options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "POST", path: "/auth/logout", repeatable: true, options });
  }
}
