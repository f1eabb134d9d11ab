// Writes what the attempts of this process say while they run: their lines, gathered for a moment and written together, and
// how far they are, of which only the last word counts. Bounded: what waits has a limit per attempt and in all, and beyond
// it lines are dropped and counted. A write whose answer was lost is done again; the store keeps each line once.
//
// An attempt's end is made known after its log is written. A database that is away delays that by a few seconds at most;
// then the rest of the log is given up, because an end matters more than what was said on the way.

import type { LogBatch } from "../store/port/logs.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { AttemptLog, type LogSink, type WaitingLine } from "./attempt-log.ts";

const GATHER_MS = 100;
/** How far an attempt is may wait longer: it is written over again and again. */
const GATHER_PROGRESS_MS = 500;
const RETRY_MS = 500;
/** As many are written at once, without waiting for more. */
const LINES_AT_ONCE = 500;
const LINES_PER_WRITE_MAX = 2_000;
const CHARACTERS_PER_WRITE_MAX = 4 * 1024 * 1024;
/** What may wait in all. */
const WAITING_LINES_MAX = 20_000;
const WAITING_CHARACTERS_MAX = 32 * 1024 * 1024;
/** How long an attempt waits for room, and its end for its log. */
const PATIENCE_MS = 5_000;

type Part = { log: AttemptLog; lines: WaitingLine[] };

export class LogWriter implements LogSink {
  readonly #store: Pick<Store, "logs" | "queue" | "isUnavailable">;
  readonly #clock: { now(): number | null };
  readonly #log: Log;
  readonly #patienceMs: number;
  /** Those with something to write, in the order in which they are served. */
  readonly #waiting = new Set<AttemptLog>();
  #lines = 0;
  #characters = 0;
  #timer: { ms: number; handle: NodeJS.Timeout } | null = null;
  #writing = false;
  #failing = false;
  /** Attempts that have ended and wait for their log. */
  #finishing = 0;
  /** Somebody has waited in vain: until something can be written again nobody else needs to. */
  #hopeless = false;
  readonly #onWrite = new Set<() => void>();

  constructor(
    deps: { store: Pick<Store, "logs" | "queue" | "isUnavailable">; clock: { now(): number | null }; log: Log },
    options: { patienceMs?: number } = {},
  ) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /** For one attempt; to be closed before its end is made known. */
  reporter(claimed: Claimed): AttemptLog {
    return new AttemptLog(claimed, this);
  }

  hasRoom(characters: number): boolean {
    return this.#lines < WAITING_LINES_MAX && this.#characters + characters <= WAITING_CHARACTERS_MAX;
  }

  added(log: AttemptLog, line: WaitingLine | null): void {
    this.#waiting.add(log);
    if (line !== null) {
      this.#lines += 1;
      this.#characters += line.characters;
    }
    this.#schedule(this.#gatherMs());
  }

  async wrote(): Promise<boolean> {
    if (this.#hopeless) return false;
    return await new Promise((resolve) => {
      const patience = setTimeout(() => {
        this.#hopeless = true;
        this.#onWrite.delete(told);
        resolve(false);
      }, this.#patienceMs);
      const told = () => {
        clearTimeout(patience);
        resolve(true);
      };
      this.#onWrite.add(told);
    });
  }

  async finish(log: AttemptLog): Promise<void> {
    this.#finishing += 1;
    this.#schedule(0);
    while (!log.isEmpty) if (!(await this.wrote())) this.#giveUp(log);
    this.#finishing -= 1;
  }

  now(): number | null {
    return this.#clock.now();
  }

  #schedule(ms: number): void {
    if (this.#writing) return;
    // Sooner is possible, but not while the database is away.
    if (this.#timer !== null && (this.#timer.ms <= ms || this.#failing)) return;
    clearTimeout(this.#timer?.handle);
    this.#timer = { ms, handle: setTimeout(() => void this.#write(), ms) };
  }

  async #write(): Promise<void> {
    this.#timer = null;
    this.#writing = true;
    try {
      await this.#append(this.#take());
      await this.#saveProgress();
      this.#failing = false;
      this.#hopeless = false;
      for (const told of this.#onWrite) told();
      this.#onWrite.clear();
    } catch (error) {
      if (!this.#failing) this.#log.warn("execution_log.not_written", { attempts: this.#waiting.size, error });
      this.#failing = true;
    }
    this.#writing = false;
    if (this.#waiting.size > 0) this.#schedule(this.#failing ? RETRY_MS : this.#gatherMs());
  }

  #gatherMs(): number {
    if (this.#lines >= LINES_AT_ONCE || this.#finishing > 0) return 0;
    return this.#lines > 0 ? GATHER_MS : GATHER_PROGRESS_MS;
  }

  /** From each its oldest lines, as far as one write goes. */
  #take(): Part[] {
    const parts: Part[] = [];
    let left = LINES_PER_WRITE_MAX;
    let characters = 0;
    for (const log of this.#waiting) {
      if (left === 0 || characters >= CHARACTERS_PER_WRITE_MAX) break;
      const lines = log.next(left);
      if (lines.length > 0) parts.push({ log, lines });
      left -= lines.length;
      for (const line of lines) characters += line.characters;
    }
    return parts;
  }

  async #append(parts: Part[]): Promise<void> {
    if (parts.length === 0) return;
    try {
      await this.#store.logs.append(parts.map(toBatch));
      for (const part of parts) this.#written(part);
    } catch (error) {
      if (this.#store.isUnavailable(error)) throw error;
      // What the store refuses it will refuse again: it must not keep the others from being written.
      if (parts.length > 1) for (const part of parts) await this.#append([part]);
      else this.#refused(parts[0]!, error);
    }
  }

  #written({ log, lines }: Part): void {
    // Given up while it was being written.
    if (!this.#waiting.delete(log)) return;
    this.#forget(lines);
    log.written(lines);
    // To the end of the row: the others are served first.
    if (!log.isEmpty) this.#waiting.add(log);
  }

  #refused(part: Part, error: unknown): void {
    this.#log.error("execution_log.refused", { executionId: part.log.claimed.id, lines: part.lines.length, error });
    this.#written(part);
  }

  async #saveProgress(): Promise<void> {
    const items = [...this.#waiting].flatMap((log) => {
      const progress = log.unsavedProgress;
      return progress === null ? [] : [{ log, progress, id: log.claimed.id, claim: log.claimed.claim }];
    });
    if (items.length === 0) return;
    try {
      await this.#store.queue.saveProgress(
        items.map(({ id, claim, progress }) => ({ id, claim, progress: progress.value })),
      );
    } catch (error) {
      if (this.#store.isUnavailable(error)) throw error;
      this.#log.error("execution_progress.refused", { executions: items.length, error });
    }
    for (const { log, progress } of items) {
      log.progressSaved(progress);
      if (log.isEmpty) this.#waiting.delete(log);
    }
  }

  #giveUp(log: AttemptLog): void {
    const lines = log.giveUp();
    this.#waiting.delete(log);
    this.#forget(lines);
    this.#log.warn("execution_log.incomplete", { executionId: log.claimed.id, lines: lines.length });
  }

  #forget(lines: WaitingLine[]): void {
    this.#lines -= lines.length;
    for (const { characters } of lines) this.#characters -= characters;
  }
}

function toBatch({ log, lines }: Part): LogBatch {
  return { id: log.claimed.id, claim: log.claimed.claim, lines: lines.map(({ line }) => line) };
}
