import type { PunctualEvent } from "../../contract/events.ts";
import type { JobsUsing } from "./jobs.ts";

export interface NodeRecord {
  id: string;
  name: string;
  roles: string[];
  version: string;
  concurrency: number;
  startedAt: Date;
  renewedAt: Date;
  leaseUntil: Date;
  alive: boolean;
  running: number;
}

export interface NodeStore {
  join(node: {
    id: string;
    name: string;
    roles: string[];
    version: string;
    concurrency: number;
    leaseMs: number;
  }): Promise<Date>;
  /** Renews the lease, also of a node that was believed dead. */
  renew(node: {
    id: string;
    name: string;
    roles: string[];
    version: string;
    concurrency: number;
    leaseMs: number;
  }): Promise<Date>;
  leave(id: string): Promise<void>;
  list(): Promise<NodeRecord[]>;
  /** Rows of nodes that are dead and hold nothing any more. */
  forgetDead(): Promise<string[]>;
}

export interface RetentionStore {
  /** Day partitions of the ledger and of the logs from `fromMs` to `toMs`, made if missing. */
  ensurePartitions(fromMs: number, toMs: number): Promise<string[]>;
  /** The longest that any process on this database was told to keep history, this one with `retentionMs` included. */
  keptFor(retentionMs: number): Promise<number>;
  dropPartitionsBefore(ms: number): Promise<string[]>;
  /** Old idempotency keys, trigger keys, handled dead letters, counters, expired jobs: bounded per call. */
  sweep(options: { retentionMs: number; limit: number }): Promise<Record<string, number>>;
  /** The parent of partitions is never analysed by itself. */
  analyze(): Promise<void>;
  /** Ends pauses whose time is over. */
  resumeElapsedPauses(limit: number): Promise<string[]>;
}

export interface SecretRecord {
  name: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export type SecretDeletion = { kind: "deleted" } | { kind: "not_found" } | { kind: "in_use"; jobs: JobsUsing };

export interface SecretStore {
  put(projectId: string, name: string, value: string): Promise<SecretRecord>;
  /** Refused while jobs use it, unless `force` says that they may fail. */
  delete(projectId: string, name: string, options: { force: boolean }): Promise<SecretDeletion>;
  /** Those of the names that there are. */
  known(projectId: string, names: string[]): Promise<Set<string>>;
  list(projectId: string): Promise<SecretRecord[]>;
  reveal(projectId: string, names: string[]): Promise<Map<string, string>>;
}

/** Tells other nodes, coalesced and without promise: everything works, only later, when a message is lost. */
export interface EventBus {
  /** A function is asked for the events only if somebody listens. */
  publish(events: PunctualEvent[] | (() => PunctualEvent[])): void;
  /** Something is due sooner than others may know, or a claim was taken away. */
  wake(): void;
  onWake(listener: () => void): () => void;
  /** Events of all nodes, in order of arrival. `gap` says that some were lost. */
  subscribe(listener: (event: PunctualEvent & { cursor: string }) => void, onGap: () => void): () => void;
  /** Events after the cursor that are still remembered, or null when it is too old or unknown. */
  since(cursor: string): (PunctualEvent & { cursor: string })[] | null;
}
