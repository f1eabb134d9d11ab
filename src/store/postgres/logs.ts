import type { LogStore } from "../port/logs.ts";
import { appendLogLines } from "./append-log-lines.ts";
import type { Queryable } from "./database.ts";
import { readLogLines } from "./read-log-lines.ts";

/** `ledger` makes days that are missing. */
export function logStore(db: Queryable, ledger: <T>(work: () => Promise<T>) => Promise<T>): LogStore {
  return {
    append: (batches) => ledger(() => appendLogLines(db, batches)),
    read: (projectId, executionId, page) => readLogLines(db, projectId, executionId, page),
  };
}
