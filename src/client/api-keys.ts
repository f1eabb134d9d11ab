import type { z } from "zod";
import type { ApiKey, MadeApiKey, NewApiKey, rotateApiKeySchema } from "../contract/api-key.ts";
import type { Page } from "../contract/page.ts";
import { everyItem, type PageQuery } from "./every-item.ts";
import type { CallOptions, Transport } from "./transport.ts";

export class ApiKeysApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: PageQuery = {}, options?: CallOptions): Promise<Page<ApiKey>> {
    return this.#transport.json({ method: "GET", path: "/api-keys", query, options });
  }

  all(query: PageQuery = {}, options?: CallOptions): AsyncIterable<ApiKey> {
    return everyItem(query, (page) => this.list(page, options));
  }

  /** The answer is the only one that ever has the key itself. It is not asked for twice: that would make a second key. */
  create(input: NewApiKey, options?: CallOptions): Promise<MadeApiKey> {
    return this.#transport.json({ method: "POST", path: "/api-keys", body: input, repeatable: false, options });
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: path(id), options });
  }

  /** A new key with the same rights; the old one stays valid for `overlap`. */
  rotate(id: string, input: z.input<typeof rotateApiKeySchema> = {}, options?: CallOptions): Promise<MadeApiKey> {
    return this.#transport.json({
      method: "POST",
      path: `${path(id)}/rotate`,
      body: input,
      repeatable: false,
      options,
    });
  }
}

function path(id: string): string {
  return `/api-keys/${encodeURIComponent(id)}`;
}
