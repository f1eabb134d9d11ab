// Workers in the store, and jobs for them, for tests of the store and of the engine's passes.

import { randomUUID } from "node:crypto";
import type { Place } from "../../src/store/port/queue.ts";
import type { Store } from "../../src/store/port.ts";
import { PROJECT } from "./store.ts";

/** What a job for a handler is written as. */
export const forHandler = (handler: string, more: object = {}) => ({ target: { type: "worker", handler }, ...more });

/** Makes a worker known and answers its holder. */
export async function joinWorker(
  store: Store,
  handlers: string[],
  options: { id?: string; leaseMs?: number; projectId?: string; kind?: "remote" | "library" } = {},
): Promise<{ id: string; holder: string }> {
  const id = options.id ?? `worker-${randomUUID()}`;
  const { holder } = await store.workers.register({
    projectId: options.projectId ?? PROJECT,
    id,
    name: id,
    kind: options.kind ?? "remote",
    handlers: handlers.map((name) => ({ name, slots: 10 })),
    leaseMs: options.leaseMs ?? 30_000,
  });
  return { id, holder };
}

export async function claimAs(
  store: Store,
  holder: string,
  free: Record<string, number>,
  options: {
    tokens?: string[];
    order?: "priority" | "oldest";
    projectId?: string;
    from?: Place | null;
    aheadMs?: number;
  } = {},
) {
  const slots = Object.values(free).reduce((sum, n) => sum + n, 0);
  return await store.queue.claimHandlers({
    projectId: options.projectId ?? PROJECT,
    holder,
    tokens: options.tokens ?? Array.from({ length: slots }, () => randomUUID()),
    tokensAre: options.tokens === undefined ? "new" : "perhaps repeated",
    handlers: Object.entries(free).map(([name, slots]) => ({ name, free: slots })),
    order: options.order ?? "priority",
    from: options.from ?? null,
    aheadMs: options.aheadMs ?? 0,
  });
}
