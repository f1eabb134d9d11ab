// Ids begin with the time they are about (48 bits of milliseconds), so that they sort by it, the ledger can be
// partitioned by them, and lists can page by them. A scheduled execution's id is made from its fire alone: every node,
// before and after every crash, gives the same fire the same id, and the primary key refuses the second.

import { hash, randomFillSync } from "node:crypto";

const MS_MAX = 2 ** 48 - 1;
const RANDOM_BYTES = 4_000;

/** UUIDv8: the instant, then a hash of the job. */
export function fireId(jobId: string, scheduledAtMs: number): string {
  return fireIdFromHash(jobHash(jobId), scheduledAtMs);
}

/** The job's part of its fires' ids, for callers that make many. */
export function jobHash(jobId: string): string {
  const hex = hash("sha256", jobId, "hex");
  return `8${hex.slice(1, 4)}-${variant(hex[4]!)}${hex.slice(5, 8)}-${hex.slice(8, 20)}`;
}

export function fireIdFromHash(hash: string, scheduledAtMs: number): string {
  return `${timePart(scheduledAtMs)}-${hash}`;
}

/** UUIDv8: what stands for a worker in the queue, the same on every node and after every restart. */
export function holderId(projectId: string, workerId: string): string {
  return hashedUuid(`worker ${projectId} ${workerId}`);
}

/**
 * The tokens of one request for work: the same request has the same tokens on whichever node it is made, and again after a
 * crash. They differ in their last two bytes.
 */
export function claimTokens(holder: string, requestId: string, count: number): string[] {
  const stem = hashedUuid(`claim ${holder} ${requestId}`).slice(0, -4);
  return Array.from({ length: count }, (_, index) => stem + index.toString(16).padStart(4, "0"));
}

function hashedUuid(text: string): string {
  const hex = hash("sha256", text, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant(hex[16]!)}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The digit with which the fourth part of a UUID begins: its two upper bits are given. */
function variant(digit: string): string {
  return "89ab"[Number.parseInt(digit, 16) & 3]!;
}

/** The smallest id of a moment: the bound of a partition or of a time filter. */
export function idFloor(ms: number): string {
  return `${timePart(ms)}-0000-0000-000000000000`;
}

/** The moment an id is about. */
export function idTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** UUIDv7 for a given moment. Ids made in one process for one moment keep their order through the counter. */
export class IdSource {
  /** Asked for in portions: asking takes longer than being given more. */
  readonly #random = Buffer.alloc(RANDOM_BYTES);
  #used = RANDOM_BYTES;
  #lastMs = -1;
  #counter = 0;

  next(ms: number): string {
    const bytes = this.#take(10);
    if (ms === this.#lastMs) this.#counter = (this.#counter + 1) & 0x3fffff;
    else {
      this.#lastMs = ms;
      this.#counter = bytes.readUInt16BE(0) & 0x0fff;
    }
    // 12 bits after the version and 10 after the variant hold the counter; the other 52 are random.
    bytes.writeUInt16BE(0x7000 | (this.#counter >> 10), 0);
    bytes.writeUInt16BE(0x8000 | ((this.#counter & 0x3ff) << 4) | (bytes[3]! & 0x0f), 2);
    const hex = bytes.toString("hex");
    return `${timePart(ms)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
  }

  /** Bytes that nobody was given before. */
  #take(count: number): Buffer {
    if (this.#used + count > RANDOM_BYTES) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    this.#used += count;
    return this.#random.subarray(this.#used - count, this.#used);
  }
}

// Ids are made in crowds that fall due in one moment: the text of the last one is kept.
let lastMs = -1;
let lastPart = "";

function timePart(ms: number): string {
  if (ms === lastMs) return lastPart;
  if (!Number.isInteger(ms) || ms < 0 || ms > MS_MAX) throw new RangeError(`no id can be made for the moment ${ms}`);
  const hex = ms.toString(16).padStart(12, "0");
  lastMs = ms;
  lastPart = `${hex.slice(0, 8)}-${hex.slice(8)}`;
  return lastPart;
}
