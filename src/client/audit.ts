import type { AuditEntry, auditQuery } from "../contract/audit.ts";
import type { Page } from "../contract/page.ts";
import { everyItem } from "./every-item.ts";
import { readLines } from "./json-lines.ts";
import type { QueryOf } from "./query.ts";
import type { CallOptions, Transport } from "./transport.ts";

export type AuditQuery = QueryOf<typeof auditQuery>;
export type AuditFilter = Omit<AuditQuery, "limit" | "cursor">;

/** Who did what, newest first. Needs an admin. */
export class AuditApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: AuditQuery = {}, options?: CallOptions): Promise<Page<AuditEntry>> {
    return this.#transport.json({ method: "GET", path: "/audit", query, options });
  }

  all(query: AuditQuery = {}, options?: CallOptions): AsyncIterable<AuditEntry> {
    return everyItem(query, (page) => this.list(page, options));
  }

  /**
   * All that matches in one answer, read as it comes. It throws when it cannot be read to its end, also because the
   * signal was aborted: half an export must not look like a whole one.
   */
  async *export(filter: AuditFilter = {}, options: CallOptions = {}): AsyncGenerator<AuditEntry, void, undefined> {
    const call = { method: "GET", path: "/audit", query: filter, options } as const;
    const lines = await this.#transport.lines(call);
    yield* readLines<AuditEntry>(lines, call.path, options.signal);
  }
}
