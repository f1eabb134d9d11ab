import type { Handler } from "../client/worker/handler.ts";
import type { InputOf, Schema } from "../client/worker/schema.ts";
import type { EventType } from "../contract/events.ts";
import type { Json } from "../contract/json.ts";
import type { Triggered } from "../contract/trigger.ts";
import { monotonic } from "../main/assembly.ts";
import { codeSource } from "../store/port/code-jobs.ts";
import type { Log } from "../telemetry/log.ts";
import { DeclaredJobs, type JobOptions } from "./declared-jobs.ts";
import { DynamicJobs, type ListedJob, type ListOptions, type ScheduleOptions } from "./dynamic-jobs.ts";
import { type Instance, openInstance, type TimeBase } from "./instance.ts";
import { Listeners, type ProgramEvent } from "./listeners.ts";
import { type Options, type PunctualOptions, readOptions } from "./options.ts";
import { logOf } from "./program-log.ts";
import { type TriggerOptions, trigger } from "./triggering.ts";

const REAL_TIME: TimeBase = { monotonic, clock: () => new Date(), urlOf: async (url) => url, close: async () => {} };

/** Opens the program in a time of one's own, and begins it in a way of one's own: for `punctual/testing`. */
export const open: unique symbol = Symbol("open");

/** A declared job, to be triggered with the payload its schema takes. */
export interface JobHandle<Payload = Json> {
  readonly name: string;
  trigger(payload?: Payload, options?: TriggerOptions): Promise<Triggered>;
}

/** The scheduler inside a program: jobs are declared in its code, and functions do their work. */
export class Punctual {
  readonly #options: Options;
  readonly #log: Log;
  readonly #jobs: DeclaredJobs;
  readonly #listeners = new Listeners();
  #opening: Promise<Instance> | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: PunctualOptions) {
    this.#options = readOptions(options);
    this.#log = logOf(this.#options.log);
    this.#jobs = new DeclaredJobs(this.#options.app);
  }

  /** Declares a job and the function that does its work. What is wrong with it is told by `start()`. */
  job<Payload extends Schema | undefined = undefined, Result extends Schema | undefined = undefined>(
    name: string,
    options: JobOptions<Payload, Result>,
    handler: Handler<Payload, Result>,
  ): JobHandle<Payload extends Schema ? InputOf<Payload> : Json> {
    if (this.#opening !== null) throw new Error(`job("${name}") comes too late: declare all jobs before start()`);
    this.#jobs.add(name, options, handler);
    return { name, trigger: (payload, given) => this.trigger(name, payload, given) };
  }

  /** Resolves when the jobs are declared and the engine runs. */
  async start(): Promise<void> {
    await this[open](REAL_TIME, async ({ engine, codeJobs }) => {
      await engine.start();
      codeJobs.start();
    });
  }

  /**
   * Takes nothing more, lets what runs end for a while, and lets go of the database. What is left runs elsewhere, or ends
   * `unknown` if its job is `at_most_once`. A `start()` that is still under way rejects.
   */
  async stop(): Promise<void> {
    this.#closing ??= this.#close().finally(() => {
      this.#closing = null;
    });
    await this.#closing;
  }

  /** Runs a job, now or later. */
  async trigger(name: string, payload?: unknown, options: TriggerOptions = {}): Promise<Triggered> {
    const { store, projectId, clock } = await this.#running("trigger");
    const actor = codeSource(this.#options.app);
    return await trigger({ store, jobs: this.#jobs, clock, projectId, actor }, name, payload, options);
  }

  /** Makes a job that is not in the code, or changes it; one of the declared functions does its work. */
  async schedule(name: string, options: ScheduleOptions): Promise<ListedJob> {
    return await (await this.#dynamic("schedule")).schedule(name, options);
  }

  /** Removes a job that was made with `schedule`. False if there is none. */
  async unschedule(name: string): Promise<boolean> {
    return await (await this.#dynamic("unschedule")).unschedule(name);
  }

  /** The jobs of this program, by name: those of its code and those made with `schedule`. */
  async list(options: ListOptions = {}): Promise<ListedJob[]> {
    return await (await this.#dynamic("list")).list(options);
  }

  /** Calls the listener for each event of the project, on whichever node it happened. Returns what ends that. */
  on<Type extends EventType>(type: Type | "*", listener: (event: ProgramEvent<Type>) => unknown): () => void {
    return this.#listeners.add(type, listener as (event: ProgramEvent) => unknown);
  }

  /** @internal */
  async [open](time: TimeBase, begin: (instance: Instance) => Promise<void>): Promise<Instance> {
    if (this.#opening !== null) throw new Error("it was started before; stop() it first");
    this.#opening = this.#open(time, begin);
    let instance: Instance;
    try {
      instance = await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
    if (this.#closing === null) return instance;
    await this.#closing;
    throw new Error("it was stopped while it started");
  }

  /** Whoever stops meanwhile waits for the end of this, so that nothing is begun on what is closed. */
  async #open(time: TimeBase, begin: (instance: Instance) => Promise<void>): Promise<Instance> {
    await this.#jobs.check();
    const instance = await openInstance(this.#options, this.#jobs, time, this.#log);
    this.#listen(instance);
    try {
      if (this.#closing === null) await begin(instance);
      return instance;
    } catch (error) {
      await this.#letGo(instance);
      throw error;
    }
  }

  #listen(instance: Instance): void {
    this.#listeners.listen({
      events: instance.store.events,
      projectId: instance.projectId,
      nameOf: (jobId) => instance.codeJobs.nameOf(jobId),
      onFailure: (error, type) => this.#listenerFailed(error, type),
    });
  }

  async #close(): Promise<void> {
    const instance = await this.#opening?.catch(() => null);
    if (!instance) return;
    try {
      await this.#letGo(instance);
    } finally {
      this.#opening = null;
    }
  }

  async #letGo(instance: Instance): Promise<void> {
    try {
      await instance.close();
    } finally {
      this.#listeners.stop();
    }
  }

  /** A mistake in the program, which has to be seen somewhere. */
  #listenerFailed(error: unknown, type: EventType): void {
    if (this.#options.log !== "silent") this.#log.error("listener.failed", { type, error });
    else process.emitWarning(`a listener of "${type}" failed: ${String(error)}`, "PunctualWarning");
  }

  async #running(wanted: string): Promise<Instance> {
    if (this.#opening === null) throw new Error(`${wanted}() needs a started program: await start() first`);
    return await this.#opening;
  }

  async #dynamic(wanted: string): Promise<DynamicJobs> {
    const { store, projectId, clock } = await this.#running(wanted);
    return new DynamicJobs({ store, declared: this.#jobs, clock }, { app: this.#options.app, projectId });
  }
}
