import type { z } from "zod";
import type { BulkAnswer, bulkExecutionsInput, bulkJobsInput } from "../contract/bulk.ts";
import type { executionFilterInput } from "../contract/execution-list.ts";
import type { CallOptions, Transport } from "./transport.ts";

export type BulkJobsInput = z.input<typeof bulkJobsInput>;

type Filter = Omit<z.input<typeof executionFilterInput>, "from" | "to">;

export interface BulkExecutionsInput extends Omit<z.input<typeof bulkExecutionsInput>, "filter"> {
  filter?: (Filter & { from?: Date | string | undefined; to?: Date | string | undefined }) | undefined;
}

/** One action on many: those named by `ids`, or all that match `filter`. With `expected`, all or nothing. */
export class BulkApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  jobs(input: BulkJobsInput, options?: CallOptions): Promise<BulkAnswer> {
    return this.#transport.json({ method: "POST", path: "/bulk/jobs", body: input, options });
  }

  executions(input: BulkExecutionsInput, options?: CallOptions): Promise<BulkAnswer> {
    return this.#transport.json({ method: "POST", path: "/bulk/executions", body: input, options });
  }
}
