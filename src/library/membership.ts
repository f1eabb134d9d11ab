import type { HandlerOffer } from "../contract/worker.ts";
import type { Members } from "../engine/lease.ts";
import type { Store } from "../store/port.ts";

/**
 * An instance is a node, because it plans and recovers like one, and a worker, because it offers handlers. It has a lease
 * as each; both are renewed together, under one id.
 */
export function membership(
  store: Store,
  worker: { projectId: string; id: string; name: string; handlers: HandlerOffer[] },
): Members {
  const { projectId } = worker;
  const tell = (type: "worker.joined" | "worker.left", at: Date) =>
    store.events.publish([{ type, timestamp: at.toISOString(), projectId, data: { worker: worker.name } }]);
  return {
    renew: async (node) => {
      const renewedAt = await store.nodes.renew(node);
      if ((await store.workers.renew(projectId, worker.id)) !== null) return renewedAt;
      await store.workers.register({ ...worker, kind: "library", leaseMs: node.leaseMs });
      tell("worker.joined", renewedAt);
      return renewedAt;
    },
    leave: async (id) => {
      await store.workers.leave(projectId, worker.id);
      await store.nodes.leave(id);
      tell("worker.left", await store.now());
    },
  };
}
