import type { z } from "zod";
import type { Triggered, triggerInput } from "../contract/trigger.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** How a job is to be run; what is left out is as the job says, and now. */
export interface TriggerInput extends Omit<z.input<typeof triggerInput>, "runAt"> {
  runAt?: Date | string | undefined;
}

export interface TriggerOfJob extends TriggerInput {
  /** Its id or name. */
  job: string;
}

export class TriggersApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Runs up to 1,000 jobs, all or none. The answer is in the order asked for. */
  async create(items: readonly TriggerOfJob[], options?: CallOptions): Promise<Triggered[]> {
    const body = { items };
    return (await this.#transport.json<{ items: Triggered[] }>({ method: "POST", path: "/triggers", body, options }))
      .items;
  }
}
