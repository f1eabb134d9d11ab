import type { z } from "zod";
import type { Attempt } from "../contract/execution.ts";
import type { targetTestInput } from "../contract/target-test.ts";
import type { CallOptions, Transport } from "./transport.ts";

export type TargetTestInput = z.input<typeof targetTestInput>;

export class TargetsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Calls the target once, outside the ledger. It may be called again if the answer is lost. */
  test(input: TargetTestInput, options?: CallOptions): Promise<Attempt> {
    return this.#transport.json({ method: "POST", path: "/targets/test", body: input, options });
  }
}
