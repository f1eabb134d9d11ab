import { formatDuration } from "../../contract/duration.ts";
import { HANDLER_NAME, WORKER_ID } from "../../contract/worker-rules.ts";
import { randomUuid } from "../random-uuid.ts";
import type { ClientOptions } from "../transport.ts";
import type { OnError } from "./problem.ts";

export interface WorkerOptions extends Pick<ClientOptions, "url" | "key" | "project" | "fetch"> {
  /** What people call it. Default: host and process number where they are known, else its id. */
  name?: string;
  /** Must be no other living worker's. Default: made anew for each worker. */
  id?: string;
  /** How long the server believes it alive without a heartbeat, 5 s to 10 min. Default: 30 s. */
  leaseMs?: number;
  /** How long `stop` lets handlers finish before it aborts them. Default: 30 s. */
  drainMs?: number;
  /** Whether SIGTERM and SIGINT stop the worker and then end the process. Default: no. */
  signals?: boolean;
  /** Told of everything that goes wrong outside of handlers. Default: prints each distinct problem once. */
  onError?: OnError;
}

const DRAIN_MS = 30_000;
/** No timer runs longer. */
const DRAIN_MS_MAX = 2 ** 31 - 1;
const LEASE_MS_MIN = 5_000;
const LEASE_MS_MAX = 600_000;
const NAME_MAX = 128;
/** Of one handler. */
const CONCURRENCY_MAX = 1_000;

/** How the worker is known to the server. */
export interface Identity {
  id: string;
  name?: string;
  lease?: string;
}

export function readIdentity(options: WorkerOptions): Identity {
  const id = options.id ?? randomUuid();
  if (!WORKER_ID.pattern.test(id)) throw new TypeError(`id: "${id}" ${WORKER_ID.rule}`);
  const name = options.name ?? ownName();
  if (name !== undefined && (name === "" || name.length > NAME_MAX))
    throw new TypeError(`name: must have 1 to ${NAME_MAX} characters`);
  return { id, ...(name === undefined ? {} : { name }), ...readLease(options.leaseMs) };
}

export function readDrainMs({ drainMs = DRAIN_MS }: WorkerOptions): number {
  if (!(drainMs >= 0 && drainMs <= DRAIN_MS_MAX))
    throw new RangeError(`drainMs: must be a number of milliseconds from 0 to ${DRAIN_MS_MAX}, not ${drainMs}`);
  return drainMs;
}

export function checkHandlerName(name: string): void {
  if (!HANDLER_NAME.pattern.test(name)) throw new TypeError(`handler "${name}": the name ${HANDLER_NAME.rule}`);
}

export function readConcurrency(handler: string, concurrency = 1): number {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX)
    throw new RangeError(
      `handler "${handler}": concurrency must be a whole number from 1 to ${CONCURRENCY_MAX}, not ${concurrency}`,
    );
  return concurrency;
}

function readLease(leaseMs: number | undefined): { lease?: string } {
  if (leaseMs === undefined) return {};
  if (!Number.isInteger(leaseMs) || leaseMs < LEASE_MS_MIN || leaseMs > LEASE_MS_MAX)
    throw new RangeError(
      `leaseMs: must be a whole number of milliseconds from ${LEASE_MS_MIN} to ${LEASE_MS_MAX}, not ${leaseMs}`,
    );
  return { lease: formatDuration(leaseMs) };
}

function ownName(): string | undefined {
  if (typeof process === "undefined" || process.pid === undefined) return undefined;
  // Not imported: browsers have no such module, and their bundlers stumble over its name.
  const host = process.getBuiltinModule?.("node:os").hostname();
  return host === undefined ? undefined : `${host}:${process.pid}`.slice(-NAME_MAX);
}
