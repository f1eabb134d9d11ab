// A process of the user's own that does the work of jobs with `target: { type: "worker", handler }`.
//
// Promised: every execution it is given is answered, or is not its own any more; nothing is claimed that there is no room
// for; node restarts, lost answers and freezes of either side heal by themselves; `stop` leaves nothing behind.
// Not promised: that a handler runs only once. After a crash, or a freeze beyond the lease, an execution is given to another
// worker, with the same `idempotencyKey` and a higher `attempt`.

import { PunctualClient } from "../client.ts";
import type { DeclaredHandler, Handler, HandlerOptions } from "./handler.ts";
import {
  checkHandlerName,
  type Identity,
  readConcurrency,
  readDrainMs,
  readIdentity,
  type WorkerOptions,
} from "./options.ts";
import { Problems } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { stopOnSignals } from "./stop-signals.ts";
import { Work } from "./work.ts";

/** Of all handlers together: a heartbeat names everything that is held, and there is an end to what fits in one. */
const SLOTS_MAX = 4_000;

export class Worker {
  readonly #client: PunctualClient;
  readonly #identity: Identity;
  readonly #drainMs: number;
  readonly #problems: Problems;
  readonly #handlers = new Map<string, DeclaredHandler>();
  readonly #hurry = new AbortController();
  #forgetSignals = () => {};
  #work: Work | null = null;
  #starting: Promise<void> | null = null;
  #finishing: Promise<void> | null = null;
  #resolveStopped = () => {};
  /** Resolves when it has left, be it by `stop`, a signal, or because an operator drained it. */
  readonly stopped = new Promise<void>((resolve) => {
    this.#resolveStopped = resolve;
  });

  constructor(options: WorkerOptions = {}) {
    this.#client = new PunctualClient(options);
    this.#identity = readIdentity(options);
    this.#drainMs = readDrainMs(options);
    this.#problems = new Problems(options.onError);
    if (options.signals === true) this.#forgetSignals = stopOnSignals(() => this.stop());
  }

  get id(): string {
    return this.#identity.id;
  }

  /** Says what does the work of jobs whose target names this handler. Before `start`. */
  handle(name: string, handler: Handler): this;
  handle<Payload extends Schema | undefined = undefined, Result extends Schema | undefined = undefined>(
    name: string,
    options: HandlerOptions<Payload, Result>,
    handler: Handler<Payload, Result>,
  ): this;
  handle(name: string, ...declared: [Handler] | [HandlerOptions<Schema, Schema>, Handler<Schema, Schema>]): this {
    const [options, call] = declared.length === 1 ? [{}, declared[0]] : declared;
    checkHandlerName(name);
    if (typeof call !== "function") throw new TypeError(`handler "${name}": the last argument must be a function`);
    if (this.#starting !== null) throw new Error(`handler "${name}": declare handlers before the worker is started`);
    if (this.#handlers.has(name)) throw new Error(`handler "${name}" is declared twice`);
    const concurrency = readConcurrency(name, options.concurrency);
    this.#handlers.set(name, {
      name,
      concurrency,
      payload: options.payload,
      result: options.result,
      call: call as DeclaredHandler["call"],
    });
    return this;
  }

  /**
   * Resolves when the server knows the worker. A server that cannot be reached is waited for, as long as it takes; one
   * that does not accept the key, or the worker, is an error.
   */
  start(): Promise<void> {
    if (this.#finishing !== null) throw new Error("the worker was stopped; make a new one");
    this.#starting ??= this.#start().catch((error) => this.#notStarted(error));
    return this.#starting;
  }

  async #start(): Promise<void> {
    const handlers = [...this.#handlers.values()];
    const slots = handlers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    if (slots === 0) throw new Error("the worker has no handlers: declare some with handle(name, …) before start()");
    if (slots > SLOTS_MAX)
      throw new RangeError(`the handlers want ${slots} runs at once; a worker has at most ${SLOTS_MAX}`);
    const { id, ...described } = this.#identity;
    const offers = handlers.map(({ name, concurrency }) => ({ name, slots: concurrency }));
    const work = new Work(this.#client.workers, this.#problems, {
      id,
      registration: { ...described, handlers: offers },
      handlers,
      onDrain: () => void this.#finish(),
    });
    this.#work = work;
    await work.begin();
  }

  #notStarted(error: unknown): never {
    this.#work = null;
    this.#starting = null;
    throw error;
  }

  /**
   * Takes nothing more, lets handlers finish for `drainMs`, then aborts the rest through `run.signal`; what is not done
   * then runs elsewhere. Resolves when all answers and logs are delivered and the server knows that the worker has left.
   */
  stop(): Promise<void> {
    const timer = setTimeout(() => this.#hurry.abort(), this.#drainMs);
    return this.#finish().finally(() => clearTimeout(timer));
  }

  #finish(): Promise<void> {
    this.#finishing ??= this.#leave().finally(() => {
      this.#forgetSignals();
      this.#resolveStopped();
    });
    return this.#finishing;
  }

  async #leave(): Promise<void> {
    await this.#work?.finish(this.#hurry.signal);
  }
}
