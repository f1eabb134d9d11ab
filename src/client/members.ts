import type { z } from "zod";
import type { AddedMember, Member, memberPatchSchema, NewMember } from "../contract/account.ts";
import type { Page } from "../contract/page.ts";
import { everyItem, type PageQuery } from "./every-item.ts";
import type { CallOptions, Transport } from "./transport.ts";

export type MemberChange = z.input<typeof memberPatchSchema>;

/** Who has a part in the project, and which. */
export class MembersApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: PageQuery = {}, options?: CallOptions): Promise<Page<Member>> {
    return this.#transport.json({ method: "GET", path: "/members", query, options });
  }

  all(query: PageQuery = {}, options?: CallOptions): AsyncIterable<Member> {
    return everyItem(query, (page) => this.list(page, options));
  }

  /** The answer is the only one that ever has the link. It is not asked for twice: the second would have none. */
  add(input: NewMember, options?: CallOptions): Promise<AddedMember> {
    return this.#transport.json({ method: "POST", path: "/members", body: input, repeatable: false, options });
  }

  change(id: string, input: MemberChange, options?: CallOptions): Promise<Member> {
    return this.#transport.json({ method: "PATCH", path: path(id), body: input, repeatable: true, options });
  }

  async remove(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: path(id), options });
  }
}

function path(id: string): string {
  return `/members/${encodeURIComponent(id)}`;
}
