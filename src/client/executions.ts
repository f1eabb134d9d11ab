import type { z } from "zod";
import type { Execution } from "../contract/execution.ts";
import type { cancelInput, retryInput } from "../contract/execution-actions.ts";
import type { ExecutionCounts, executionFilterQuery, executionListQuery } from "../contract/execution-list.ts";
import type { LogLevel, LogLine } from "../contract/log.ts";
import type { Page } from "../contract/page.ts";
import type { EventsApi } from "./events.ts";
import { everyItem, type PageQuery } from "./every-item.ts";
import { followLogs } from "./follow-logs.ts";
import type { QueryOf } from "./query.ts";
import type { CallOptions, Transport } from "./transport.ts";
import { type WaitOptions, waitForExecution } from "./wait-for-execution.ts";

export type ExecutionQuery = QueryOf<typeof executionListQuery>;
export type ExecutionFilter = QueryOf<typeof executionFilterQuery>;
export type RetryInput = z.input<typeof retryInput>;
export type CancelInput = z.input<typeof cancelInput>;

export interface LogQuery extends PageQuery {
  /** The lines after this one: `nextCursor` of the page before, or `<attempt>.<seq>` of a line. */
  after?: string | undefined;
  /** This level and those above it. Default: all. */
  level?: LogLevel | undefined;
}

export interface FollowOptions extends Pick<LogQuery, "after" | "level"> {
  signal?: AbortSignal | undefined;
}

export class ExecutionsApi {
  readonly #transport: Transport;
  readonly #events: EventsApi;

  constructor(transport: Transport, events: EventsApi) {
    this.#transport = transport;
    this.#events = events;
  }

  /** Without `include`, items come without attempts, payload and result. */
  list(query: ExecutionQuery = {}, options?: CallOptions): Promise<Page<Execution>> {
    return this.#transport.json({ method: "GET", path: "/executions", query, options });
  }

  /** All executions that match, read page by page as they are asked for. */
  all(query: ExecutionQuery = {}, options?: CallOptions): AsyncIterable<Execution> {
    return everyItem(query, (page) => this.list(page, options));
  }

  /** The whole: payload, result and every attempt. */
  get(id: string, options?: CallOptions): Promise<Execution> {
    return this.#transport.json({ method: "GET", path: path(id), options });
  }

  counts(filter: ExecutionFilter = {}, options?: CallOptions): Promise<ExecutionCounts> {
    return this.#transport.json({ method: "GET", path: "/executions/counts", query: filter, options });
  }

  cancel(id: string, input: CancelInput = {}, options?: CallOptions): Promise<Execution> {
    return this.#transport.json({ method: "POST", path: `${path(id)}/cancel`, body: input, options });
  }

  /** Runs a final execution again, as a new one; one that is retrying makes its next attempt now. */
  retry(id: string, input: RetryInput = {}, options?: CallOptions): Promise<Execution> {
    return this.#transport.json({ method: "POST", path: `${path(id)}/retry`, body: input, options });
  }

  /** What it said, oldest first, over all its attempts. */
  logs(id: string, query: LogQuery = {}, options?: CallOptions): Promise<Page<LogLine>> {
    return this.#transport.json({ method: "GET", path: `${path(id)}/logs`, query, options });
  }

  /** All lines there are at the moment, read page by page as they are asked for. */
  allLogs(id: string, query: LogQuery = {}, options?: CallOptions): AsyncIterable<LogLine> {
    return everyItem(query, (page) => this.logs(id, page, options));
  }

  /** The lines so far and those to come, until the execution is final. Aborting the signal ends it. */
  followLogs(id: string, options: FollowOptions = {}): AsyncIterable<LogLine> {
    return followLogs(this.#transport, `${path(id)}/logs`, options);
  }

  /** The execution once it is final, whatever became of it. */
  waitFor(id: string, options: WaitOptions = {}): Promise<Execution> {
    return waitForExecution(this, this.#events, id, options);
  }
}

function path(id: string): string {
  return `/executions/${encodeURIComponent(id)}`;
}
