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
  readonly free: number;
  /** How many could be claimed now, to be started or to wait for a slot. */
  readonly wanted: number;
  /** How many of one lane could be. */
  roomFor(lane: string): number;
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

  get free(): number {
    return this.#slots.free;
  }

  get wanted(): number {
    return this.#slots.wanted;
  }

  roomFor(lane: string): number {
    return this.#slots.roomFor(lane);
  }

  async claim(tokens: string[], { sharedBy = 1, ...start }: ClaimStart): Promise<ClaimResult> {
    const { what, most } = limitsOf(start, sharedBy);
    const { lanes, laneLimit } = this.#slots.limits(what);
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

  get free(): number {
    return this.#slots.free;
  }

  get wanted(): number {
    return this.#slots.wanted;
  }

  roomFor(lane: string): number {
    return this.#slots.roomFor(lane);
  }

  async claim(tokens: string[], { sharedBy = 1, ...start }: ClaimStart): Promise<ClaimResult> {
    const { what, most } = limitsOf(start, sharedBy);
    return await this.#queue.claimHandlers({
      projectId: this.#projectId,
      holder: this.#holder,
      tokens,
      tokensAre: "new",
      ...start,
      handlers: this.#slots.handlers(what).map(({ name, free }) => ({ name, free: most(free) })),
    });
  }
}

/** What is claimed ahead is to start at its very time: it waits for nothing else, and leaves some slots to what is due at once. */
function limitsOf(
  { aheadMs = 0 }: ClaimStart,
  sharedBy: number,
): { what: "to run" | "to wait"; most: (free: number) => number } {
  const share = (most: number) => Math.ceil(most / sharedBy);
  if (aheadMs === 0) return { what: "to wait", most: share };
  return { what: "to run", most: (free) => share(mostAhead({ slots: free, free })) };
}
