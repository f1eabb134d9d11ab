// How runs ended, gathered for a few milliseconds and sent together. Nothing is dropped: a batch is repeated until the
// server has answered it (the same token again is answered the same), and while that fails nothing more is claimed, so that
// no more can pile up than there are slots.

import { SETTLE_MAX } from "../../contract/worker-rules.ts";
import type { Settled, SettlementInput } from "../workers.ts";
import type { Problems } from "./problem.ts";
import { isRefusal, type Session } from "./session.ts";
import { bytesOf } from "./storable.ts";

const GATHER_MS = 3;
/** What an answer needs beside a result and an error, and then some. */
const PLAIN_BYTES = 256;
const SETTLE_MS_MAX = 30_000;
/** The server takes 8 MiB; keys and the like need some of it. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
const BACKLOG_MAX = 1_000;

export interface OutboxEvents {
  /** The server has the final word on it, whichever it was. */
  answered(settlement: SettlementInput): void;
  /** Whether runs are under way whose answers are worth a moment's wait. */
  moreToCome(): boolean;
  /** After trouble, or a long queue: there may be room for more work again. */
  relieved(): void;
}

interface Waiting {
  settlement: SettlementInput;
  bytes: number;
}

export class Outbox {
  readonly #session: Session;
  readonly #problems: Problems;
  readonly #events: OutboxEvents;
  #waiting: Waiting[] = [];
  #sending = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #failing = false;
  #idle: (() => void)[] = [];

  constructor(session: Session, problems: Problems, events: OutboxEvents) {
    this.#session = session;
    this.#problems = problems;
    this.#events = events;
  }

  add(settlement: SettlementInput): void {
    this.#waiting.push({ settlement, bytes: isPlain(settlement) ? PLAIN_BYTES : bytesOf(JSON.stringify(settlement)) });
    this.#schedule();
  }

  /** Whether answers cannot be delivered, or not as fast as they come. */
  get congested(): boolean {
    return this.#failing || this.#waiting.length + this.#sending > BACKLOG_MAX;
  }

  /** Resolves when everything so far is answered. */
  async flushed(): Promise<void> {
    if (this.#waiting.length + this.#sending === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#sending > 0) return;
    if (!this.#events.moreToCome()) void this.#send();
    else this.#timer ??= setTimeout(() => void this.#send(), GATHER_MS);
  }

  async #send(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      this.#sending = batch.length;
      await this.#deliver(batch);
      this.#sending = 0;
      this.#failing = false;
      this.#events.relieved();
    }
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #take(): SettlementInput[] {
    let bytes = 0;
    const fitting = this.#waiting.findIndex((one, index) => {
      bytes += one.bytes;
      return index > 0 && (index >= SETTLE_MAX || bytes > BATCH_BYTES_MAX);
    });
    return this.#waiting.splice(0, fitting === -1 ? this.#waiting.length : fitting).map(({ settlement }) => settlement);
  }

  async #deliver(batch: SettlementInput[]): Promise<void> {
    try {
      const items = await this.#session.insist(
        "settle",
        (id, options) => this.#session.api.settle(id, batch, options),
        { timeoutMs: SETTLE_MS_MAX, onFailure: () => (this.#failing = true) },
      );
      for (const [index, settlement] of batch.entries()) {
        const { id } = settlement;
        this.#answered(settlement, items[index]?.id === id ? items[index] : items.find((item) => item.id === id));
      }
    } catch (error) {
      if (isRefusal(error)) return await this.#refused(batch, error);
      for (const { id } of batch) this.#problems.report(error, { during: "settle", executionId: id });
    }
  }

  #answered(settlement: SettlementInput, answer: Settled | undefined): void {
    // What was cancelled has ended without this worker's saying so.
    if (answer?.accepted !== true && settlement.outcome !== "cancelled")
      this.#problems.report(
        new Error(
          `the server did not take the answer "${settlement.outcome}": ${answer?.reason ?? "it does not say why"}`,
        ),
        { during: "settle", executionId: settlement.id },
      );
    this.#events.answered(settlement);
  }

  /** One that the server cannot read must not cost the others: each is sent alone, and the odd one without its content. */
  async #refused(batch: SettlementInput[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const settlement of batch) await this.#deliver([settlement]);
      return;
    }
    const settlement = batch[0]!;
    this.#problems.report(error, { during: "settle", executionId: settlement.id });
    const { outcome } = settlement;
    // What was not begun is ended by nobody: the server will find that it is not named any more.
    if (outcome !== "returned" && settlement.error !== UNREADABLE) await this.#deliver([withoutContent(settlement)]);
    else this.#events.answered(settlement);
  }
}

/** With nothing in it that could be long. */
function isPlain({ result = null, error = null }: SettlementInput): boolean {
  return error === null && (result === null || typeof result === "number" || typeof result === "boolean");
}

const UNREADABLE = { code: "invalid_result", message: "the server refused what the handler returned or threw" };

function withoutContent({ id, token }: SettlementInput): SettlementInput {
  return { id, token, outcome: "failed", error: UNREADABLE, retryable: false };
}
