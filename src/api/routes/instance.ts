import { z } from "zod";
import { parseDuration } from "../../contract/duration.ts";
import { meSchema } from "../../contract/me.ts";
import { nodeSchema } from "../../contract/node.ts";
import { pageSchema } from "../../contract/page.ts";
import { statsQuery, statsSchema } from "../../contract/stats.ts";
import type { NodeRecord } from "../../store/port/instance.ts";
import type { ApiDeps } from "../deps.ts";
import { meView } from "../me-view.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { RATES_WINDOW_MS, ratesOf, totalsOf, windowOf } from "../stats-view.ts";

export function instanceRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/stats`,
      group: "Instance",
      summary: "Totals, rates, errors and percentiles of the project",
      query: statsQuery,
      responses: { 200: { description: "The figures.", schema: statsSchema } },
      handler: readStats,
    }),
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

async function readStats({
  query,
  principal: { projectId },
  store,
}: Call<unknown, z.infer<typeof statsQuery>>): Promise<Answer> {
  const now = await store.now();
  const window = windowOf(now, parseDuration(query.window));
  const [totals, minutes, deadLetters] = await Promise.all([
    store.stats.totals(projectId, window),
    store.stats.minutes(projectId, windowOf(now, RATES_WINDOW_MS)),
    store.stats.openDeadLetters(projectId),
  ]);
  const span = { window: query.window, from: window.from.toISOString(), to: window.to.toISOString() };
  return { status: 200, body: { ...span, ...totalsOf(totals), ...ratesOf(minutes, now), deadLetters } };
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
