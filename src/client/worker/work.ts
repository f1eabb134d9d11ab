// A worker at work, from its registration to its leaving: the parts, and how an execution passes through them.

import type { HandedOut } from "../../contract/worker.ts";
import type { Registration, WorkersApi } from "../workers.ts";
import { WorkerStopped } from "./abort-reason.ts";
import { ActiveRun } from "./active-run.ts";
import { Claims } from "./claims.ts";
import type { DeclaredHandler } from "./handler.ts";
import { Heart } from "./heart.ts";
import { Lease } from "./lease.ts";
import { LogBuffer } from "./log-buffer.ts";
import { Outbox } from "./outbox.ts";
import type { Problems } from "./problem.ts";
import { Session } from "./session.ts";
import { Slots } from "./slots.ts";
import { TimeLimits } from "./time-limits.ts";
import { WaitingRuns } from "./waiting-runs.ts";

/** How long a stopping worker tries to deliver what is left to say. */
const FLUSH_MS_MAX = 15_000;
const LEAVE_MS_MAX = 5_000;

export interface WorkOptions {
  id: string;
  registration: Registration;
  handlers: DeclaredHandler[];
  /** The server wants the worker to finish and leave. */
  onDrain: () => void;
}

interface Offered {
  handler: DeclaredHandler;
  slots: Slots;
  waiting: WaitingRuns;
}

export class Work {
  readonly #offered: ReadonlyMap<string, Offered>;
  readonly #problems: Problems;
  readonly #lease = new Lease();
  readonly #session: Session;
  readonly #logs: LogBuffer;
  readonly #outbox: Outbox;
  readonly #heart: Heart;
  readonly #claims: Claims;
  /** By token: from the claim until the server has taken the answer. */
  readonly #held = new Map<string, ActiveRun>();
  readonly #limits = new TimeLimits(this.#held);
  /** How many are on their way from the claim to the outbox. */
  #attempting = 0;
  #whenAttempted: (() => void)[] = [];
  #begun = false;

  constructor(api: WorkersApi, problems: Problems, { id, registration, handlers, onDrain }: WorkOptions) {
    const slots = handlers.map(({ name, concurrency }) => new Slots(name, concurrency));
    this.#offered = new Map(handlers.map((handler, index) => [handler.name, this.#offer(handler, slots[index]!)]));
    this.#problems = problems;
    this.#session = new Session(api, this.#lease, problems, { id, registration });
    this.#logs = new LogBuffer(this.#session, problems);
    this.#outbox = new Outbox(this.#session, problems, {
      answered: ({ token }) => this.#held.delete(token),
      moreToCome: () => this.#attempting > 0,
      relieved: () => this.#claims.wake(),
    });
    this.#heart = new Heart(this.#session, this.#lease, problems, this.#held, {
      drain: onDrain,
      renewed: () => this.#claims.wake(),
    });
    this.#claims = new Claims(this.#session, problems, slots, {
      ready: () => this.#lease.valid && !this.#outbox.congested,
      take: (executions) => this.#take(executions),
    });
  }

  #offer(handler: DeclaredHandler, slots: Slots): Offered {
    const waiting = new WaitingRuns(slots, {
      begin: (run) => void this.#attempt(run, offered),
      giveBack: ({ execution: { id, token } }) => this.#outbox.add({ id, token, outcome: "returned" }),
    });
    const offered = { handler, slots, waiting };
    return offered;
  }

  /** Resolves when the server knows the worker, or when it is to finish before that. */
  async begin(): Promise<void> {
    try {
      await this.#session.begin();
    } catch (error) {
      if (this.#session.ended) return;
      throw error;
    }
    this.#begun = true;
    this.#heart.start();
    this.#claims.wake();
  }

  /** Takes nothing more, lets handlers finish until the signal comes, and leaves with everything said. */
  async finish(hurry: AbortSignal): Promise<void> {
    if (!this.#begun) return this.#session.end();
    await this.#claims.stop();
    for (const { waiting } of this.#offered.values()) waiting.giveBackAll();
    await Promise.race([this.#attempted(), aborted(hurry)]);
    for (const run of this.#held.values()) run.abort(new WorkerStopped());
    const said = this.#attempted().then(() => this.#outbox.flushed());
    await Promise.race([said, aborted(AbortSignal.timeout(FLUSH_MS_MAX))]);
    this.#heart.stop();
    this.#limits.stop();
    await this.#leave();
    this.#session.end();
  }

  #take(executions: HandedOut[]): void {
    const arrivedAt = performance.now();
    for (const execution of executions) {
      // The answer to a repeated claim may name what is known already.
      if (this.#held.has(execution.token)) continue;
      const offered = this.#offered.get(execution.handler);
      if (offered === undefined) this.#notOffered(execution);
      else this.#start(new ActiveRun(execution, this.#logs, this.#heart, { arrivedAt }), offered);
    }
  }

  /** Given to another process that registers under the same id and offers something else. */
  #notOffered({ id, token, handler }: HandedOut): void {
    const error = { code: "unknown_handler", message: `the worker has no handler "${handler}"` };
    this.#outbox.add({ id, token, outcome: "failed", error });
  }

  #start(run: ActiveRun, offered: Offered): void {
    this.#held.set(run.execution.token, run);
    this.#limits.watch(run);
    if (offered.slots.hasFree) void this.#attempt(run, offered);
    else offered.waiting.add(run);
  }

  async #attempt(run: ActiveRun, offered: Offered): Promise<void> {
    const { handler, slots } = offered;
    const { token } = run.execution;
    this.#attempting += 1;
    slots.take();
    // An answer that was long on its way, or lay in the buffers of a process that was frozen, may hold executions that others
    // have by now: they begin when a heartbeat has said that they are still this worker's.
    if (!this.#lease.valid) await run.heard();
    const settlement = await run.attempt(handler);
    this.#attempting -= 1;
    if (settlement === null) this.#held.delete(token);
    else this.#outbox.add(settlement);
    if (run.goesOn) this.#goesOn(run, offered);
    else this.#free(offered);
    if (this.#attempting === 0) for (const resolve of this.#whenAttempted.splice(0)) resolve();
  }

  #goesOn(run: ActiveRun, offered: Offered): void {
    this.#problems.report(
      new Error(
        `the handler "${offered.handler.name}" goes on after its run was ended; its slot stays taken until it returns`,
      ),
      { during: "run", executionId: run.execution.id },
    );
    void run.returned.then(() => this.#free(offered));
  }

  #free({ slots, waiting }: Offered): void {
    slots.give();
    waiting.beginNext();
    this.#claims.wake();
  }

  async #attempted(): Promise<void> {
    if (this.#attempting > 0) await new Promise<void>((resolve) => this.#whenAttempted.push(resolve));
  }

  async #leave(): Promise<void> {
    const request = { timeoutMs: LEAVE_MS_MAX };
    await this.#session
      .once("leave", (id, options) => this.#session.api.leave(id, options), request)
      .catch((error) => this.#problems.report(error, { during: "leave" }));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
