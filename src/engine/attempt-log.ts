import type { Json } from "../contract/json.ts";
import type { LogLevel, LogLineInput } from "../contract/log.ts";
import { LOG_BYTES_MAX, LOG_LINES_MAX } from "../contract/log-limits.ts";
import { storableJson, storableLine } from "../core/storable-line.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Reporter } from "../targets/port.ts";

/** What may wait to be written for one attempt. Whoever can wait is asked to at half of it. */
const LINES_MAX = 1_000;
const CHARACTERS_MAX = 512 * 1024;

/** What the writer is to an attempt's log. */
export interface LogSink {
  /** Whether a line of this length may wait beside those of all other attempts. */
  hasRoom(characters: number): boolean;
  /** The attempt has something to write: a line, or how far it is. */
  added(log: AttemptLog, line: WaitingLine | null): void;
  /** True when something was written; false when that takes too long to wait for. */
  wrote(): Promise<boolean>;
  /** Resolves when all of the attempt is written, or when that takes too long to wait for. */
  finish(log: AttemptLog): Promise<void>;
  /** The database's time, as far as it is known. */
  now(): number | null;
}

export interface WaitingLine {
  line: LogLineInput;
  characters: number;
}

/** What one attempt has said and is not written yet. Lines that find no room are counted, and a line says how many. */
export class AttemptLog implements Reporter {
  readonly claimed: Claimed;
  readonly #sink: LogSink;
  readonly #waiting: WaitingLine[] = [];
  #waitingCharacters = 0;
  #saidLines = 0;
  #saidCharacters = 0;
  #dropped = 0;
  #closed = false;
  #progress: { value: Json } | null = null;

  constructor(claimed: Claimed, sink: LogSink) {
    this.claimed = claimed;
    this.#sink = sink;
  }

  log(level: LogLevel, message: string, fields?: Record<string, Json>): void {
    // The store has ended the log by then, with a line that says so: it counts no less than is counted here.
    if (this.#closed || this.#saidLines > LOG_LINES_MAX || this.#saidCharacters > LOG_BYTES_MAX) return;
    const kept = storableLine({ seq: 1, level, message, fields: fields ?? null });
    const characters = kept.message.length + (kept.fields?.length ?? 0);
    if (this.#isFull(characters)) {
      this.#dropped += 1;
      return;
    }
    this.#noteDropped();
    // The fields as they are now: their owner may change them before they are written.
    this.#add(level, kept.message, kept.fields === null ? null : JSON.parse(kept.fields), characters);
  }

  /** A database that is away slows an attempt down; it does not hold it for ever. */
  async ready(): Promise<void> {
    while (this.#isHalfFull()) if (!(await this.#sink.wrote())) return;
  }

  progress(value: Json): void {
    if (this.#closed) return;
    const { json, problem } = storableJson(value);
    if (json === null) {
      this.log("warn", `the progress was not kept: it ${problem}`);
      return;
    }
    this.#progress = { value: JSON.parse(json) };
    this.#sink.added(this, null);
  }

  /**
   * Resolves when all is written, so that the log is whole before the attempt's end is known; nothing if there is nothing to write. What is said after the end, by
   * something that the attempt has left running, is nobody's.
   */
  close(): Promise<void> | undefined {
    this.#noteDropped();
    this.#closed = true;
    return this.isEmpty ? undefined : this.#sink.finish(this);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#progress === null;
  }

  /** The oldest lines that wait; they stay until they are said to be written. */
  next(count: number): WaitingLine[] {
    return this.#waiting.slice(0, count);
  }

  written(lines: WaitingLine[]): void {
    this.#waiting.splice(0, lines.length);
    for (const { characters } of lines) this.#waitingCharacters -= characters;
    this.#noteDropped();
  }

  /** Forgets what is not written. */
  giveUp(): WaitingLine[] {
    this.#progress = null;
    this.#waitingCharacters = 0;
    return this.#waiting.splice(0);
  }

  /** How far it is, if that is still to be written. */
  get unsavedProgress(): { value: Json } | null {
    return this.#progress;
  }

  /** Unless something newer was said meanwhile, there is nothing left to write. */
  progressSaved(progress: { value: Json }): void {
    if (this.#progress === progress) this.#progress = null;
  }

  #isFull(characters: number): boolean {
    return (
      this.#waiting.length >= LINES_MAX ||
      this.#waitingCharacters + characters > CHARACTERS_MAX ||
      !this.#sink.hasRoom(characters)
    );
  }

  #isHalfFull(): boolean {
    return (
      this.#waiting.length >= LINES_MAX / 2 || this.#waitingCharacters >= CHARACTERS_MAX / 2 || !this.#sink.hasRoom(0)
    );
  }

  #noteDropped(): void {
    if (this.#dropped === 0) return;
    const lines = this.#dropped === 1 ? "1 line is" : `${this.#dropped} lines are`;
    this.#dropped = 0;
    const message = `${lines} missing here: they came faster than they could be written`;
    this.#add("warn", message, null, message.length);
  }

  #add(level: LogLevel, message: string, fields: LogLineInput["fields"], characters: number): void {
    this.#saidLines += 1;
    this.#saidCharacters += characters;
    this.#waitingCharacters += characters;
    const now = this.#sink.now();
    const at = now === null ? {} : { at: new Date(now).toISOString() };
    const waiting = { line: { seq: this.#saidLines, level, message, fields, ...at }, characters };
    this.#waiting.push(waiting);
    this.#sink.added(this, waiting);
  }
}
