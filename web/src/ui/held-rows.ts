// A list that holds still while things happen. What was loaded stays where it is; a row that changed is drawn anew in its place;
// what is new waits until it is asked for, so that nobody presses a row that has just moved under the pointer.

import type { Execution, Page } from "punctual/client";

export const NO_ROWS: Page<Execution> = { items: [], nextCursor: null };

/** What was loaded page by page, as if it had come at once. */
export function asOnePage(pages: readonly Page<Execution>[]): Page<Execution> {
  const [first] = pages;
  if (first === undefined || pages.length === 1) return first ?? NO_ROWS;
  return { items: pages.flatMap(({ items }) => items), nextCursor: pages.at(-1)!.nextCursor };
}

/** The same rows in the same places, with what became of them. Rows that did not change stay the same objects. */
export function withNews(rows: readonly Execution[], fresh: readonly Execution[]): readonly Execution[] {
  const news = new Map(fresh.map((row) => [row.id, row]));
  let isChanged = false;
  const next = rows.map((row) => {
    const found = news.get(row.id);
    if (found === undefined || isSame(row, found)) return row;
    isChanged = true;
    return found;
  });
  return isChanged ? next : rows;
}

function isSame(one: Execution, other: Execution): boolean {
  return (
    one.state === other.state &&
    one.attempt === other.attempt &&
    one.runAt === other.runAt &&
    one.startedAt === other.startedAt &&
    one.reason?.message === other.reason?.message &&
    JSON.stringify(one.progress) === JSON.stringify(other.progress)
  );
}

export interface Newcomers {
  rows: readonly Execution[];
  /** There may be more of them than were looked at. */
  more: boolean;
}

/**
 * Those of the newest page that are not held yet. Where older rows are still to be loaded, what lies beyond the last held row
 * is not new: it is on its page.
 */
export function newcomers(held: Page<Execution>, newest: Page<Execution>): Newcomers {
  const known = new Set(held.items.map(({ id }) => id));
  const last = held.items.at(-1)?.id;
  const isBeyond = (id: string) => held.nextCursor !== null && last !== undefined && id < last;
  const rows = newest.items.filter(({ id }) => !known.has(id) && !isBeyond(id));
  return { rows, more: rows.length > 0 && rows.length === newest.items.length && newest.nextCursor !== null };
}

/**
 * The list with the new ones at their places. Rows that do not fit the filter any more go, unless `keeps` says otherwise. If so
 * much is new that the two do not meet, there would be a hole between them: then the list begins again with the newest.
 */
export function withNewcomers(
  held: Page<Execution>,
  newest: Page<Execution>,
  keeps: (row: Execution) => boolean,
): Page<Execution> {
  const { rows, more } = newcomers(held, newest);
  if (more) return newest;
  const items = [...rows, ...held.items.filter(keeps)].sort((one, other) => (one.id < other.id ? 1 : -1));
  return { items, nextCursor: held.nextCursor };
}
