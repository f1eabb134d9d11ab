// Wake-ups and events between nodes, over NOTIFY. NOTIFY takes a lock of the whole database at commit, so nothing is
// sent from inside a transaction, everything is gathered for a few milliseconds, and events are sent only while somebody on
// some node listens (listening nodes say so every few seconds). Messages may be lost: the safety polls of the engine find
// what a wake-up would have told, and a reader of events is told to read the ledger anew.

import pg from "pg";
import type { PunctualEvent } from "../../contract/events.ts";
import type { EventBus } from "../port/instance.ts";
import { type Queryable, statement } from "./database.ts";
import { EventMemory, type RememberedEvent } from "./event-memory.ts";

const CHANNEL = "punctual";
export const notifySql = statement("notify", `select pg_notify('${CHANNEL}', $1)`, "kept");

const WAKE_GATHER_MS = 3;
const EVENT_GATHER_MS = 20;
/** NOTIFY takes payloads of less than 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7_900;
const PAYLOADS_PER_FLUSH_MAX = 16;
const INTEREST_EVERY_MS = 5_000;
const INTEREST_LASTS_MS = 20_000;
/** After the last reader left: it may come back and ask for what it missed. */
const INTEREST_LINGERS_MS = 5 * 60_000;
const RECONNECT_MS = [100, 200, 500, 1_000, 2_000];

interface Message {
  from: string;
  kind: "wake" | "interest" | "gap" | "events";
  events?: PunctualEvent[];
}

export interface EventBusOptions {
  nodeId: string;
  /** A direct connection, or null where there is none (behind a pooler): this node then sends but does not hear. */
  listenUrl: string | null;
  onProblem: (event: string, fields: object) => void;
}

export class NotifyBus implements EventBus {
  readonly #db: Queryable;
  readonly #options: EventBusOptions;
  readonly #memory = new EventMemory();
  readonly #wakeListeners = new Set<() => void>();
  readonly #readers = new Set<{ event: (event: RememberedEvent) => void; gap: () => void }>();
  #pending: PunctualEvent[] = [];
  #wakeTimer: NodeJS.Timeout | null = null;
  #eventTimer: NodeJS.Timeout | null = null;
  #interestTimer: NodeJS.Timeout | null = null;
  #othersInterestedUntil = 0;
  #ownInterestUntil = 0;
  #client: pg.Client | null = null;
  #closed = false;
  #failures = 0;

  constructor(db: Queryable, options: EventBusOptions) {
    this.#db = db;
    this.#options = options;
    if (options.listenUrl !== null) void this.#listen(options.listenUrl);
  }

  publish(made: PunctualEvent[] | (() => PunctualEvent[])): void {
    const now = performance.now();
    const [here, elsewhere] = [this.#ownInterestUntil > now, this.#othersInterestedUntil > now && !this.#closed];
    if (!here && !elsewhere) return;
    const events = typeof made === "function" ? made() : made;
    if (here) for (const event of events) this.#deliver(this.#options.nodeId, event);
    if (!elsewhere) return;
    for (const event of events) this.#pending.push(event);
    this.#eventTimer ??= setTimeout(() => this.#flushEvents(), EVENT_GATHER_MS);
  }

  wake(): void {
    for (const listener of this.#wakeListeners) listener();
    if (this.#closed) return;
    this.#wakeTimer ??= setTimeout(() => {
      this.#wakeTimer = null;
      this.#send({ from: this.#options.nodeId, kind: "wake" });
    }, WAKE_GATHER_MS);
  }

  onWake(listener: () => void): () => void {
    this.#wakeListeners.add(listener);
    return () => this.#wakeListeners.delete(listener);
  }

  subscribe(listener: (event: RememberedEvent) => void, onGap: () => void): () => void {
    const reader = { event: listener, gap: onGap };
    this.#readers.add(reader);
    this.#showInterest();
    return () => this.#readers.delete(reader);
  }

  since(cursor: string): RememberedEvent[] | null {
    return this.#memory.since(cursor);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#wakeTimer, this.#eventTimer, this.#interestTimer]) if (timer) clearTimeout(timer);
    await this.#client?.end().catch(() => {});
  }

  #showInterest(): void {
    if (this.#readers.size > 0) this.#ownInterestUntil = performance.now() + INTEREST_LINGERS_MS;
    if (this.#ownInterestUntil <= performance.now() || this.#closed) {
      this.#interestTimer = null;
      this.#memory.clear();
      return;
    }
    this.#send({ from: this.#options.nodeId, kind: "interest" });
    if (this.#interestTimer) clearTimeout(this.#interestTimer);
    this.#interestTimer = setTimeout(() => this.#showInterest(), INTEREST_EVERY_MS);
    this.#interestTimer.unref();
  }

  #flushEvents(): void {
    this.#eventTimer = null;
    const { payloads, left } = packEvents(this.#options.nodeId, this.#pending);
    this.#pending = [];
    for (const payload of payloads) this.#sendText(payload);
    if (left > 0) this.#send({ from: this.#options.nodeId, kind: "gap" });
  }

  #send(message: Message): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(payload: string): void {
    this.#db.run(notifySql, [payload]).catch((error) => this.#options.onProblem("events.not_sent", { error }));
  }

  #receive(payload: string): void {
    const message = parseMessage(payload);
    if (message === null || message.from === this.#options.nodeId) return;
    if (message.kind === "wake") for (const listener of this.#wakeListeners) listener();
    else if (message.kind === "interest") this.#othersInterestedUntil = performance.now() + INTEREST_LASTS_MS;
    else if (message.kind === "gap") this.#gap();
    else if (this.#ownInterestUntil > performance.now())
      for (const event of message.events ?? []) this.#deliver(message.from, event);
  }

  #deliver(from: string, event: PunctualEvent): void {
    const remembered = this.#memory.add(from, event);
    for (const reader of this.#readers) reader.event(remembered);
  }

  #gap(): void {
    this.#memory.clear();
    for (const reader of this.#readers) reader.gap();
  }

  async #listen(url: string): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: "punctual listen",
    });
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    client.once("error", (error) => this.#listenAgain(url, client, error));
    client.once("end", () => this.#listenAgain(url, client, null));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#client = client;
      if (this.#failures > 0) {
        // What was said meanwhile was not heard.
        this.#gap();
        for (const listener of this.#wakeListeners) listener();
      }
      this.#failures = 0;
    } catch (error) {
      this.#listenAgain(url, client, error);
    }
  }

  #listenAgain(url: string, client: pg.Client, error: unknown): void {
    client.removeAllListeners("end");
    client.removeAllListeners("error");
    client.on("error", () => {});
    void client.end().catch(() => {});
    if (this.#closed) return;
    if (error !== null && this.#failures === 0) this.#options.onProblem("events.not_heard", { error });
    const wait = RECONNECT_MS[Math.min(this.#failures, RECONNECT_MS.length - 1)]!;
    this.#failures += 1;
    setTimeout(() => {
      if (!this.#closed) void this.#listen(url);
    }, wait).unref();
  }
}

/** For whoever wakes the nodes without being one: from inside a transaction, at its commit. */
export function wakeMessage(from: string): string {
  return JSON.stringify({ from, kind: "wake" } satisfies Message);
}

/** As many payloads as one flush may send; `left` counts the events that found no room. */
export function packEvents(from: string, events: PunctualEvent[]): { payloads: string[]; left: number } {
  const payloads: string[] = [];
  let batch: string[] = [];
  let bytes = 0;
  let sent = 0;
  const head = `{"from":${JSON.stringify(from)},"kind":"events","events":[`;
  const close = () => {
    if (batch.length === 0) return;
    payloads.push(`${head}${batch.join(",")}]}`);
    sent += batch.length;
    batch = [];
    bytes = 0;
  };
  for (const event of events) {
    const text = JSON.stringify(event);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size + head.length + 2 > PAYLOAD_BYTES_MAX) close();
    if (payloads.length >= PAYLOADS_PER_FLUSH_MAX) break;
    if (size + head.length + 2 > PAYLOAD_BYTES_MAX) continue;
    batch.push(text);
    bytes += size;
  }
  if (payloads.length < PAYLOADS_PER_FLUSH_MAX) close();
  return { payloads, left: events.length - sent };
}

function parseMessage(payload: string): Message | null {
  try {
    return JSON.parse(payload) as Message;
  } catch {
    return null;
  }
}
