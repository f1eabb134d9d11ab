import type { LogStore } from "../port/logs.ts";
import type { Queryable } from "./database.ts";

export function logStore(_db: Queryable, _ledger: <T>(work: () => Promise<T>) => Promise<T>): LogStore {
  return {} as LogStore;
}
