import type { DetailedHealth, Health } from "../contract/health.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** A node that is not well answers too: these do not throw for it, and do not ask twice. */
export class HealthApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Whether the process answers. */
  live(options?: CallOptions): Promise<Health> {
    return this.#transport.json({ method: "GET", path: "/health/live", options });
  }

  /** Whether the node can work: its status is `ok` or `unavailable`. */
  ready(options?: CallOptions): Promise<Health> {
    return this.#transport.json({ method: "GET", path: "/health/ready", accepts: [503], options });
  }

  /** Database, clock, queue and nodes. */
  detailed(options?: CallOptions): Promise<DetailedHealth> {
    return this.#transport.json({ method: "GET", path: "/health/detailed", options });
  }
}
