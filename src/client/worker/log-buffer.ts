// What runs log, on its way to the server: gathered for a moment and sent in batches, one at a time, so that the next batch
// grows while the server is slow. Both a run and the worker may have only so much waiting; beyond it lines are counted and
// dropped, and one line in their place says how many.

import type { LogLevel } from "../../contract/log.ts";
import { LOG_MESSAGE_MAX } from "../../contract/log-limits.ts";
import type { WorkerLogsInput } from "../workers.ts";
import type { Problems } from "./problem.ts";
import type { RunLog } from "./run.ts";
import type { Session } from "./session.ts";
import { asFields, bytesOf, storableText } from "./storable.ts";

const GATHER_MS = 100;
const LOG_MS_MAX = 30_000;
const FIELDS_BYTES_MAX = 16 * 1024;
/** Of one run. */
const WAITING_LINES_MAX = 2_000;
/** Of all runs together. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
const BATCH_LINES_MAX = 5_000;
const BATCH_RUNS_MAX = 1_000;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;

type Line = WorkerLogsInput["lines"][number];

export class LogBuffer {
  readonly #session: Session;
  readonly #problems: Problems;
  readonly #runs = new Set<RunLines>();
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #sending = false;

  constructor(session: Session, problems: Problems) {
    this.#session = session;
    this.#problems = problems;
  }

  open(run: { id: string; token: string }): RunLines {
    return new RunLines(run, {
      admits: (bytes) => this.#bytes + bytes <= WAITING_BYTES_MAX,
      added: (lines, bytes) => {
        this.#bytes += bytes;
        this.#runs.add(lines);
        this.#schedule(GATHER_MS);
      },
      hurry: () => this.#schedule(0),
    });
  }

  #schedule(ms: number): void {
    if (this.#sending) return;
    if (this.#timer !== null) {
      if (ms > 0) return;
      clearTimeout(this.#timer);
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#send();
    }, ms);
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#runs.size > 0 && !this.#session.ended) {
      const batch = this.#take();
      try {
        const items = batch.map(({ run, lines }) => ({ ...run.held, lines }));
        await this.#session.insist("log", (id, options) => this.#session.api.log(id, items, options), {
          timeoutMs: LOG_MS_MAX,
        });
      } catch (error) {
        // Refused for good. The lines are lost; the work they are about is not.
        this.#problems.report(error, { during: "log" });
      }
      for (const { run } of batch) run.sent();
    }
    this.#sending = false;
  }

  /** Some of every run, the longest waiting first. */
  #take(): { run: RunLines; lines: Line[] }[] {
    const batch: { run: RunLines; lines: Line[] }[] = [];
    let [linesLeft, bytesLeft] = [BATCH_LINES_MAX, BATCH_BYTES_MAX];
    for (const run of this.#runs) {
      if (batch.length === BATCH_RUNS_MAX || linesLeft <= 0 || bytesLeft <= 0) break;
      const { lines, bytes } = run.take(linesLeft, bytesLeft);
      batch.push({ run, lines });
      linesLeft -= lines.length;
      bytesLeft -= bytes;
      this.#bytes -= bytes;
      this.#runs.delete(run);
      if (run.waiting) this.#runs.add(run);
    }
    return batch;
  }
}

interface Room {
  admits(bytes: number): boolean;
  added(lines: RunLines, bytes: number): void;
  hurry(): void;
}

/** The lines of one run. */
export class RunLines {
  readonly held: { id: string; token: string };
  /** Functions, not methods: handlers pass them on as callbacks. */
  readonly log: RunLog = {
    debug: (message, fields) => this.#write("debug", message, fields),
    info: (message, fields) => this.#write("info", message, fields),
    warn: (message, fields) => this.#write("warn", message, fields),
    error: (message, fields) => this.#write("error", message, fields),
  };
  readonly #room: Room;
  #lines: { line: Line; bytes: number }[] = [];
  #seq = 0;
  #dropped = 0;
  #underWay = false;
  #whenSent: (() => void)[] = [];

  constructor({ id, token }: { id: string; token: string }, room: Room) {
    this.held = { id, token };
    this.#room = room;
  }

  get waiting(): boolean {
    return this.#lines.length > 0;
  }

  /** Resolves when all lines so far have been sent. */
  async flushed(): Promise<void> {
    this.#tellDropped();
    if (!this.waiting && !this.#underWay) return;
    this.#room.hurry();
    await new Promise<void>((resolve) => this.#whenSent.push(resolve));
  }

  take(linesMax: number, bytesMax: number): { lines: Line[]; bytes: number } {
    let bytes = 0;
    const end = this.#lines.findIndex((one, index) => {
      bytes += one.bytes;
      return index > 0 && (index >= linesMax || bytes > bytesMax);
    });
    const taken = this.#lines.splice(0, end === -1 ? this.#lines.length : end);
    this.#underWay = true;
    return { lines: taken.map(({ line }) => line), bytes: taken.reduce((sum, one) => sum + one.bytes, 0) };
  }

  sent(): void {
    this.#underWay = false;
    if (!this.waiting) for (const resolve of this.#whenSent.splice(0)) resolve();
  }

  #write(level: LogLevel, message: string, fields: Record<string, unknown> | undefined): void {
    const text = storableText(String(message), LOG_MESSAGE_MAX);
    const kept = asFields(fields, FIELDS_BYTES_MAX);
    const bytes = bytesOf(text) + (kept === null ? 0 : bytesOf(JSON.stringify(kept)));
    if (this.#lines.length >= WAITING_LINES_MAX || !this.#room.admits(bytes)) {
      this.#dropped += 1;
      return;
    }
    this.#tellDropped();
    this.#add(level, text, kept, bytes);
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const message = `${this.#dropped} lines are missing here: they came faster than the server took them`;
    this.#dropped = 0;
    this.#add("warn", message, null, message.length);
  }

  #add(level: LogLevel, message: string, fields: Line["fields"], bytes: number): void {
    this.#seq += 1;
    const at = new Date().toISOString();
    this.#lines.push({ line: { seq: this.#seq, at, level, message, fields: fields ?? null }, bytes });
    this.#room.added(this, bytes);
  }
}
