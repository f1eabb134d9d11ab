// Lists: one page unless all is asked for. As JSON a page is what the API answers, {"items":[…],"nextCursor":…}; with
// --all it is one item a line, because nobody knows how many there will be.

import type { Command } from "commander";
import type { Page } from "../contract/page.ts";
import { wholeNumber } from "./option-values.ts";
import type { Output } from "./output/output.ts";
import type { Column } from "./output/table.ts";

export interface ListFlags {
  limit?: number;
  cursor?: string;
  all?: boolean;
}

export function withListOptions(command: Command): Command {
  return command
    .option("--limit <number>", "at most so many (default: 50)", wholeNumber({ min: 1, max: 200 }))
    .option("--cursor <cursor>", "the page that begins here (nextCursor of the one before)")
    .option("--all", "everything that matches; as JSON, one item a line");
}

interface Pages<Row> {
  page: (query: { limit?: number; cursor?: string }) => Promise<Page<Row>>;
  all: () => AsyncIterable<Row>;
}

export async function showPages<Row>(
  out: Output,
  { limit, cursor, all }: ListFlags,
  pages: Pages<Row>,
  { columns, empty }: { columns: readonly Column<Row>[]; empty: string },
): Promise<void> {
  if (!all) {
    const query = { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
    out.showList(await pages.page(query), columns, { empty });
    return;
  }
  const items: Row[] = [];
  let read = 0;
  for await (const item of pages.all()) {
    read += 1;
    if (out.json) out.showLine(item, () => "");
    else items.push(item);
    if (read % 200 === 0) out.progress(`${read} read …`);
  }
  out.endProgress();
  if (!out.json) out.showList({ items, nextCursor: null }, columns, { empty });
}

/** A query without what was not asked for. */
export function given<T extends object>(query: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
