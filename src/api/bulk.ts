// One action on many things: those named, or those that match a filter. The client may say how many it expects, and then
// nothing happens if it is another number: between looking and acting the world goes on.

import { BULK_MAX, type BulkAnswer, type BulkFailure, FAILURES_SHOWN } from "../contract/bulk.ts";
import { PunctualError } from "../contract/errors.ts";
import type { Call } from "./route.ts";

/** Acts on what matches, unless it is too much, not what was expected, or only to be counted. */
export async function runBulk(
  matching: (limit: number) => Promise<string[]>,
  { expected, dryRun }: { expected?: number | undefined; dryRun: boolean },
  act: (ids: string[]) => Promise<{ changed: number; failures: BulkFailure[] }>,
): Promise<BulkAnswer> {
  const ids = await matching(BULK_MAX + 1);
  if (ids.length > BULK_MAX) {
    const message = `matches more than ${BULK_MAX}; narrow it and call several times`;
    throw PunctualError.validation([{ path: "filter", code: "too_many", message }]);
  }
  if (expected !== undefined && expected !== ids.length)
    throw new PunctualError("count_changed", `${ids.length} match, not ${expected}; nothing was done`);
  if (dryRun) return { matched: ids.length, changed: 0, failed: 0, failures: [] };
  const { changed, failures } = await act(ids);
  return { matched: ids.length, changed, failed: failures.length, failures: failures.slice(0, FAILURES_SHOWN) };
}

/** A line in the audit for all of it: what was asked for and how many it met. */
export function noteBulk(
  { body, note }: Pick<Call<unknown, unknown, object>, "body" | "note">,
  kind: string,
  { matched, changed, failed }: BulkAnswer,
): void {
  if (changed > 0) note({ kind, id: "", after: { ...body, matched, changed, failed } });
}

/** How many are worked on at a time, each in a transaction of its own: enough to keep the database busy, too few to block others. */
const AT_A_TIME = 4;

/** One after the other, a few at a time. An error that is about one id is that id's failure; others end the call. */
export async function forEachId(
  ids: string[],
  act: (id: string) => Promise<void>,
): Promise<{ changed: number; failures: BulkFailure[] }> {
  const failures: BulkFailure[] = [];
  // In one order for everybody: two bulk calls that meet wait for each other and do not block each other.
  const rest = ids.toSorted().values();
  let ended = false;
  const worker = async (): Promise<void> => {
    for (const id of rest) {
      if (ended) return;
      try {
        await act(id);
      } catch (error) {
        if (!(error instanceof PunctualError) || error.status >= 500) {
          ended = true;
          throw error;
        }
        failures.push({ id, code: error.code, message: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { changed: ids.length - failures.length, failures };
}
