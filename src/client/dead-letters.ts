import type { z } from "zod";
import type { BulkAnswer } from "../contract/bulk.ts";
import type {
  bulkDeadLettersInput,
  DeadLetter,
  DeadLetterGroup,
  deadLetterGroupsQuery,
  deadLetterListQuery,
} from "../contract/dead-letter.ts";
import type { Page } from "../contract/page.ts";
import { everyItem } from "./every-item.ts";
import type { QueryOf } from "./query.ts";
import type { CallOptions, Transport } from "./transport.ts";

export type DeadLetterQuery = QueryOf<typeof deadLetterListQuery>;
export type DeadLetterGroupQuery = QueryOf<typeof deadLetterGroupsQuery>;
export type BulkDeadLettersInput = z.input<typeof bulkDeadLettersInput>;

export class DeadLettersApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those that are open, unless `status` says otherwise. */
  list(query: DeadLetterQuery = {}, options?: CallOptions): Promise<Page<DeadLetter>> {
    return this.#transport.json({ method: "GET", path: "/dead-letters", query, options });
  }

  all(query: DeadLetterQuery = {}, options?: CallOptions): AsyncIterable<DeadLetter> {
    return everyItem(query, (page) => this.list(page, options));
  }

  /** By job and kind of error, the most frequent first. */
  groups(query: DeadLetterGroupQuery = {}, options?: CallOptions): Promise<Page<DeadLetterGroup>> {
    return this.#transport.json({ method: "GET", path: "/dead-letters/groups", query, options });
  }

  retry(input: BulkDeadLettersInput, options?: CallOptions): Promise<BulkAnswer> {
    return this.#transport.json({ method: "POST", path: "/dead-letters/retry", body: input, options });
  }

  discard(input: BulkDeadLettersInput, options?: CallOptions): Promise<BulkAnswer> {
    return this.#transport.json({ method: "POST", path: "/dead-letters/discard", body: input, options });
  }
}
