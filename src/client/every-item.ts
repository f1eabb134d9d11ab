import type { Page } from "../contract/page.ts";

/** The largest page there is: whoever wants all wants few round trips. */
const PAGE_LIMIT = 200;

/** What every list takes. */
export interface PageQuery {
  limit?: number | undefined;
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
}

/** Reads page after page, each only when its items are asked for. */
export async function* everyItem<Item, Query extends PageQuery>(
  query: Query,
  list: (query: Query) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor = query.cursor;
  do {
    const page = await list({ limit: PAGE_LIMIT, ...query, cursor });
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
