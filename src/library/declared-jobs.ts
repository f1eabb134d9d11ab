// The jobs that the program's code declares, each with the function that does its work. What is wrong with them is gathered
// and told when the program starts, all at once and before anything is changed.

import type { z } from "zod";
import type { DeclaredHandler, Handler } from "../client/worker/handler.ts";
import { conform, type Schema } from "../client/worker/schema.ts";
import { type Problem, PunctualError } from "../contract/errors.ts";
import { type JobInput, jobInputSchema } from "../contract/job.ts";
import { problemsOf } from "../contract/validate.ts";
import type { HandlerOffer } from "../contract/worker.ts";
import { HANDLERS_MAX } from "../contract/worker-rules.ts";
import { validateSchedule } from "../core/schedule/validate.ts";
import { cannotAccept } from "./options.ts";

/** The fields of a job, as the API takes them, but for its name and target: the function is the target. */
export type JobFields = Omit<z.input<typeof jobInputSchema>, "name" | "target">;

export interface JobOptions<Payload extends Schema | undefined, Result extends Schema | undefined> extends JobFields {
  /** Runs of it at once in this process. Default: 10. */
  concurrency?: number;
  /** What payloads must look like. One that does not is refused by `trigger`; a run with one fails and is not retried. */
  payloadSchema?: Payload;
  /** What the function must return. */
  resultSchema?: Result;
}

export interface DeclaredJob {
  name: string;
  /** As it was written. */
  fields: JobFields;
  input: JobInput;
  handler: DeclaredHandler;
}

const CONCURRENCY_DEFAULT = 10;
const CONCURRENCY_MAX = 10_000;

export class DeclaredJobs {
  readonly #app: string;
  readonly #jobs = new Map<string, DeclaredJob>();
  readonly #problems: Problem[] = [];

  constructor(app: string) {
    this.#app = app;
  }

  add<Payload extends Schema | undefined, Result extends Schema | undefined>(
    name: string,
    options: JobOptions<Payload, Result>,
    handler: Handler<Payload, Result>,
  ): void {
    const { concurrency = CONCURRENCY_DEFAULT, payloadSchema, resultSchema, ...fields } = options;
    const target = { type: "worker" as const, handler: handlerName(this.#app, name) };
    const parsed = jobInputSchema.safeParse({ ...fields, name, target });
    const problems = [
      ...this.#ownProblems(name, concurrency, handler),
      ...(parsed.success ? scheduleProblems(parsed.data) : problemsOf(parsed.error, { ...fields, name, target })),
    ];
    this.#problems.push(...problems.map((problem) => ({ ...problem, path: `jobs.${name}.${problem.path}` })));
    if (!parsed.success || problems.length > 0) return;
    const call = handler as DeclaredHandler["call"];
    const declared = { name: target.handler, concurrency, payload: payloadSchema, result: resultSchema, call };
    this.#jobs.set(name, { name, fields, input: parsed.data, handler: declared });
  }

  get(name: string): DeclaredJob | undefined {
    return this.#jobs.get(name);
  }

  all(): DeclaredJob[] {
    return [...this.#jobs.values()];
  }

  names(): string[] {
    return [...this.#jobs.keys()];
  }

  offers(): HandlerOffer[] {
    return this.all().map(({ handler }) => ({ name: handler.name, slots: handler.concurrency }));
  }

  /** Throws all that is wrong with them. */
  async check(): Promise<void> {
    const problems = [...this.#problems, ...(await this.#unfitPayloads())];
    if (this.#jobs.size > HANDLERS_MAX)
      problems.push({
        path: "jobs",
        code: "too_many",
        message: `are ${this.#jobs.size}; a program may declare ${HANDLERS_MAX}`,
      });
    if (problems.length > 0) throw cannotAccept(`the program "${this.#app}"`, problems);
  }

  /** Refuses a payload that the function of the job would refuse. */
  async checkPayload(name: string, payload: unknown): Promise<void> {
    const problem = await misfit(this.#jobs.get(name)?.handler.payload, payload);
    if (problem === null) return;
    const message = `does not fit what "${name}" takes: ${problem}`;
    throw PunctualError.validation([{ path: "payload", code: "invalid_payload", message }]);
  }

  #ownProblems(name: string, concurrency: number, handler: unknown): Problem[] {
    const problems: Problem[] = [];
    if (this.#jobs.has(name))
      problems.push({ path: "name", code: "name_taken", message: "is declared twice", value: name });
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX)
      problems.push({
        path: "concurrency",
        code: "out_of_range",
        message: `must be a whole number from 1 to ${CONCURRENCY_MAX}`,
        value: concurrency,
      });
    if (typeof handler !== "function")
      problems.push({
        path: "handler",
        code: "invalid",
        message: `must be a function: p.job(${JSON.stringify(name)}, { … }, async (run) => { … })`,
      });
    return problems;
  }

  /** What the schedule would run with has to be what the function takes. */
  async #unfitPayloads(): Promise<Problem[]> {
    const problems: Problem[] = [];
    for (const { name, input, handler } of this.#jobs.values()) {
      const problem = input.schedule === null ? null : await misfit(handler.payload, input.payload);
      if (problem === null) continue;
      const message = `does not fit payloadSchema: ${problem}`;
      problems.push({ path: `jobs.${name}.payload`, code: "invalid_payload", message });
    }
    return problems;
  }
}

/** Two programs may have jobs of one name in different projects, or give theirs up to each other: handlers are the app's own. */
export function handlerName(app: string, job: string): string {
  return `${app}/${job}`;
}

async function misfit(schema: Schema | undefined, payload: unknown): Promise<string | null> {
  if (schema === undefined) return null;
  try {
    await conform(schema, payload, "payload");
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Without a clock: whether a moment is past is judged when the job is written, by the database's. */
function scheduleProblems({ schedule }: JobInput): Problem[] {
  const checked = validateSchedule(schedule, { now: 0, graceMs: Number.POSITIVE_INFINITY, anchor: 0 });
  return checked.ok ? [] : checked.problems.map((problem) => ({ ...problem, path: `schedule.${problem.path}` }));
}
