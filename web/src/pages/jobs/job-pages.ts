// A long list that is kept up to date. It is read in pages along a cursor, and with ten thousand rows to read all of them again
// at every event would be a load for nothing: nobody looks at more than a screen. So only the pages in sight are read again.
// What stands above stays as it was. What stands below stays too if it still begins where the pages in sight end; else it is
// let go, and read when it is come to.

import type { Job, Page } from "punctual/client";

export interface JobPage extends Page<Job> {
  readAt: number;
}

/** Places of pages, both included. */
interface Sight {
  first: number;
  last: number;
}

export async function readAgain({
  known,
  sight,
  read,
}: {
  /** Asked again at the end: another page may have been added meanwhile. */
  known: () => readonly JobPage[];
  sight: Sight;
  read: (cursor: string | null) => Promise<JobPage>;
}): Promise<JobPage[]> {
  const before = known();
  const end = Math.max(0, before.length - 1);
  const [first, last] = [Math.min(sight.first, end), Math.min(sight.last, end)];
  const above = before.slice(0, first);
  const fresh: JobPage[] = [];
  let cursor = above.at(-1)?.nextCursor ?? null;
  for (let place = first; place <= last; place += 1) {
    const page = await read(cursor);
    fresh.push(page);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const begins = known()[last]?.nextCursor;
  const below = cursor !== null && cursor === begins ? known().slice(last + 1) : [];
  return [...without(above, fresh), ...fresh, ...without(below, fresh)];
}

/** A job that moved is where it was seen last. */
function without(pages: readonly JobPage[], fresh: readonly JobPage[]): readonly JobPage[] {
  const moved = new Set(fresh.flatMap(({ items }) => items.map(({ id }) => id)));
  return pages.map((page) =>
    page.items.some(({ id }) => moved.has(id))
      ? { ...page, items: page.items.filter(({ id }) => !moved.has(id)) }
      : page,
  );
}

/** In which pages these rows are. */
export function pagesOf(pages: readonly JobPage[], firstRow: number, lastRow: number): Sight {
  const placeOf = (row: number) => {
    let rest = row;
    const place = pages.findIndex(({ items }) => {
      rest -= items.length;
      return rest < 0;
    });
    return place === -1 ? Math.max(0, pages.length - 1) : place;
  };
  return { first: placeOf(firstRow), last: placeOf(lastRow) };
}
