// Where a dispatcher's work comes from: the lanes of hosts, as many as the slots allow, or named handlers.

import { catchUpLane, SHELL_LANE } from "../core/lane.ts";
import type { ClaimResult, QueueStore } from "../store/port/queue.ts";
import type { ClaimStart } from "./claim-start.ts";
import { mostAhead } from "./claims-ahead.ts";
import type { HandlerSlots } from "./handler-slots.ts";
import type { Slots } from "./slots.ts";

export interface ClaimSource {
  /** How many executions can run at once. */
  readonly slots: number;
  /** How many executions could be started now. */
  wanted(): number;
  claim(tokens: string[], start: ClaimStart): Promise<ClaimResult>;
}

/** Lanes that this node must leave to others count as full. */
export class HostClaims implements ClaimSource {
  readonly #queue: QueueStore;
  readonly #slots: Slots;
  readonly #nodeId: string;
  readonly #notHere: { name: string; limit: number }[];

  constructor(queue: QueueStore, slots: Slots, options: { nodeId: string; shell: boolean }) {
    this.#queue = queue;
    this.#slots = slots;
    this.#nodeId = options.nodeId;
    const lanesLeft = options.shell ? [] : [SHELL_LANE, catchUpLane(SHELL_LANE)];
    this.#notHere = lanesLeft.map((name) => ({ name, limit: 0 }));
  }

  get slots(): number {
    return this.#slots.total;
  }

  wanted(): number {
    return this.#slots.free;
  }

  async claim(tokens: string[], start: ClaimStart): Promise<ClaimResult> {
    const { lanes, laneLimit } = this.#slots.limits();
    const most = mostOf(start);
    return await this.#queue.claimDue({
      nodeId: this.#nodeId,
      tokens,
      ...start,
      lanes: [...lanes.map(({ name, limit }) => ({ name, limit: most(limit) })), ...this.#notHere],
      laneLimit: most(laneLimit),
    });
  }
}

/** The handlers that this process has itself: nothing else is taken. */
export class HandlerClaims implements ClaimSource {
  readonly #queue: QueueStore;
  readonly #slots: HandlerSlots;
  readonly #projectId: string;
  readonly #holder: string;

  constructor(queue: QueueStore, slots: HandlerSlots, options: { projectId: string; holder: string }) {
    this.#queue = queue;
    this.#slots = slots;
    this.#projectId = options.projectId;
    this.#holder = options.holder;
  }

  get slots(): number {
    return this.#slots.total;
  }

  wanted(): number {
    return this.#slots.free;
  }

  async claim(tokens: string[], start: ClaimStart): Promise<ClaimResult> {
    const most = mostOf(start);
    return await this.#queue.claimHandlers({
      projectId: this.#projectId,
      holder: this.#holder,
      tokens,
      tokensAre: "new",
      ...start,
      handlers: this.#slots.handlers().map(({ name, free }) => ({ name, free: most(free) })),
    });
  }
}

function mostOf({ aheadMs = 0 }: ClaimStart): (free: number) => number {
  return aheadMs > 0 ? (free) => mostAhead({ slots: free, free }) : (free) => free;
}
