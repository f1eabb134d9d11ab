import type { Page } from "../contract/page.ts";
import type { Secret } from "../contract/secret.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** Values are only ever written. */
export class SecretsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: CallOptions): Promise<Page<Secret>> {
    return this.#transport.json({ method: "GET", path: "/secrets", options });
  }

  put(name: string, value: string, options?: CallOptions): Promise<Secret> {
    return this.#transport.json({ method: "PUT", path: path(name), body: { value }, options });
  }

  /** Refused while jobs use it, unless `force` says that their calls may fail. */
  async delete(name: string, query: { force?: boolean } = {}, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: path(name), query, options });
  }
}

function path(name: string): string {
  return `/secrets/${encodeURIComponent(name)}`;
}
