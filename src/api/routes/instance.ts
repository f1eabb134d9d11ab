import { z } from "zod";
import { meSchema } from "../../contract/me.ts";
import { nodeSchema } from "../../contract/node.ts";
import { pageSchema } from "../../contract/page.ts";
import type { NodeRecord } from "../../store/port/instance.ts";
import type { ApiDeps } from "../deps.ts";
import { meView } from "../me-view.ts";
import { PREFIX, type Route, route } from "../route.ts";

export function instanceRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/nodes`,
      group: "Instance",
      summary: "List the nodes",
      responses: { 200: { description: "The nodes.", schema: pageSchema(nodeSchema) } },
      handler: async ({ store }) => ({
        status: 200,
        body: { items: (await store.nodes.list()).map(nodeView), nextCursor: null },
      }),
    }),
    route({
      method: "GET",
      path: `${PREFIX}/me`,
      group: "Instance",
      summary: "Who asks, and what they may do",
      responses: { 200: { description: "The caller.", schema: meSchema } },
      handler: ({ principal }) => ({ status: 200, body: meView(principal) }),
    }),
    metricsRoute(deps),
  ];
}

export function nodeView(node: NodeRecord) {
  return {
    ...node,
    startedAt: node.startedAt.toISOString(),
    renewedAt: node.renewedAt.toISOString(),
    leaseUntil: node.leaseUntil.toISOString(),
  };
}

/** Every node has it, whatever its roles. */
export function metricsRoute(deps: ApiDeps): Route {
  return route({
    method: "GET",
    path: "/metrics",
    group: "Instance",
    summary: "The node's metrics, for Prometheus",
    responses: { 200: { description: "Metrics in text form.", contentType: "text/plain", schema: z.string() } },
    handler: async () => {
      const { contentType, text } = await deps.metrics.render();
      return { status: 200, body: text, headers: { "content-type": contentType } };
    },
  });
}
