import type { Json } from "../../contract/json.ts";
import type { Run } from "./run.ts";
import type { InputOf, OutputOf, Schema } from "./schema.ts";

export interface HandlerOptions<Payload extends Schema | undefined, Result extends Schema | undefined> {
  /** How many runs of it at once in this process. Default: 1. */
  concurrency?: number;
  /** What payloads must look like. One that does not is a failure that is not retried; the handler is not called. */
  payload?: Payload;
  /** What the handler must return. */
  result?: Result;
}

export type Handler<Payload extends Schema | undefined = undefined, Result extends Schema | undefined = undefined> = (
  run: Run<Payload extends Schema ? OutputOf<Payload> : Json>,
) => Returned<Result> | Promise<Returned<Result>>;

/** Without a schema anything that is JSON, or nothing. */
type Returned<Result extends Schema | undefined> = Result extends Schema ? InputOf<Result> : unknown;

/** A handler as the worker keeps it: its types were checked where it was declared. */
export interface DeclaredHandler {
  readonly name: string;
  readonly concurrency: number;
  readonly payload: Schema | undefined;
  readonly result: Schema | undefined;
  readonly call: (run: Run<never>) => unknown;
}
