// One action on many things: those named, or those that match a filter. The client may say how many it expects, and then
// nothing happens if it is another number: between looking and acting the world goes on.

import { z } from "zod";
import { PunctualError } from "../contract/errors.ts";
import { uuid } from "./parameters.ts";

/** Work per call is bounded; what is more is done in several calls. */
export const BULK_MAX = 10_000;
const FAILURES_SHOWN = 100;

/** The fields of a bulk body; refine it with `oneSelection`. */
export function bulkFields<Filter extends z.ZodType>(filter: Filter) {
  return {
    ids: z.array(uuid).min(1).max(BULK_MAX).optional(),
    filter: filter.optional(),
    expected: z.int().min(0).optional().describe("how many are to match; with another number nothing is done"),
    dryRun: z.boolean().default(false).describe("only count"),
  };
}

export function oneSelection(body: { ids?: unknown; filter?: unknown }): boolean {
  return (body.ids === undefined) !== (body.filter === undefined);
}
export const ONE_SELECTION = { path: ["ids"], message: "give either ids or a filter" };

export const bulkAnswerSchema = z.object({
  matched: z.int(),
  changed: z.int(),
  failed: z.int(),
  failures: z
    .array(z.object({ id: z.string(), code: z.string(), message: z.string() }))
    .describe(`the first ${FAILURES_SHOWN}`),
});

export type BulkAnswer = z.infer<typeof bulkAnswerSchema>;

export interface Failure {
  id: string;
  code: string;
  message: string;
}

/** Acts on what matches, unless it is too much, not what was expected, or only to be counted. */
export async function runBulk(
  matching: (limit: number) => Promise<string[]>,
  { expected, dryRun }: { expected?: number | undefined; dryRun: boolean },
  act: (ids: string[]) => Promise<{ changed: number; failures: Failure[] }>,
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

/** How many are worked on at a time, each in a transaction of its own: enough to keep the database busy, too few to block others. */
const AT_A_TIME = 4;

/** One after the other, a few at a time. An error that is about one id is that id's failure; others end the call. */
export async function forEachId(
  ids: string[],
  act: (id: string) => Promise<void>,
): Promise<{ changed: number; failures: Failure[] }> {
  const failures: Failure[] = [];
  const rest = ids.values();
  const worker = async (): Promise<void> => {
    for (const id of rest) {
      try {
        await act(id);
      } catch (error) {
        if (!(error instanceof PunctualError) || error.status >= 500) throw error;
        failures.push({ id, code: error.code, message: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { changed: ids.length - failures.length, failures };
}
