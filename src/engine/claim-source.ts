// Where a dispatcher's work comes from: the lanes of hosts, as many as the slots allow, or named handlers.

import type { ClaimResult, QueueStore } from "../store/port/queue.ts";
import type { Slots } from "./slots.ts";

export interface ClaimSource {
  /** How many executions could be started now. */
  wanted(): number;
  claim(tokens: string[], order: "priority" | "oldest"): Promise<ClaimResult>;
}

/** Lanes that this node must leave to others count as full. */
export class HostClaims implements ClaimSource {
  readonly #queue: QueueStore;
  readonly #slots: Slots;
  readonly #nodeId: string;
  readonly #notHere: { name: string; limit: number }[];

  constructor(queue: QueueStore, slots: Slots, options: { nodeId: string; lanesLeft: string[] }) {
    this.#queue = queue;
    this.#slots = slots;
    this.#nodeId = options.nodeId;
    this.#notHere = options.lanesLeft.map((name) => ({ name, limit: 0 }));
  }

  wanted(): number {
    return this.#slots.free;
  }

  async claim(tokens: string[], order: "priority" | "oldest"): Promise<ClaimResult> {
    const { lanes, laneLimit } = this.#slots.limits();
    return await this.#queue.claimDue({
      nodeId: this.#nodeId,
      tokens,
      order,
      lanes: [...lanes, ...this.#notHere],
      laneLimit,
    });
  }
}
