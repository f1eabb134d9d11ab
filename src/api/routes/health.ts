import { detailedHealthSchema, healthSchema } from "../../contract/health.ts";
import type { ApiDeps, ApiOptions } from "../deps.ts";
import { type Answer, PREFIX, type Route, route } from "../route.ts";

/** Whoever asks for health gives up soon; a database that does not answer by then is not there. */
const DATABASE_MS_MAX = 2_000;

const OK = { description: "It is well.", schema: healthSchema };
const UNAVAILABLE = { description: "The database cannot be reached.", schema: healthSchema };

export function healthRoutes(deps: ApiDeps, options: Pick<ApiOptions, "dev">): Route[] {
  const open = (path: string, summary: string, handler: () => Promise<Answer> | Answer): Route =>
    route({
      method: "GET",
      path,
      group: "Health",
      summary,
      responses: { 200: OK, 503: UNAVAILABLE },
      handler,
    });
  const live = () => ({ status: 200, body: { status: "ok", version: deps.version } });
  // Under the prefix with everything else, and short, where probes look for it.
  const paths = ["", PREFIX].flatMap((prefix) => [
    open(`${prefix}/health`, "Whether the node can work", () => ready(deps)),
    open(`${prefix}/health/live`, "Whether the process answers", live),
    open(`${prefix}/health/ready`, "Whether the node can work", () => ready(deps)),
  ]);
  return [
    ...paths,
    route({
      method: "GET",
      path: `${PREFIX}/health/detailed`,
      group: "Health",
      summary: "Database, clock, queue and nodes",
      responses: { 200: { description: "What was found.", schema: detailedHealthSchema } },
      handler: () => detailed(deps, options),
    }),
  ];
}

async function ready(deps: ApiDeps): Promise<Answer> {
  const reachable = (await inTime(() => deps.store.ping())) !== null;
  const status = reachable ? "ok" : "unavailable";
  return { status: reachable ? 200 : 503, body: { status, version: deps.version } };
}

async function detailed(deps: ApiDeps, { dev }: Pick<ApiOptions, "dev">): Promise<Answer> {
  const { store } = deps;
  const ping = await inTime(() => store.ping());
  const known = ping === null ? null : await inTime(() => look(deps));
  const body = {
    status: ping === null ? "unavailable" : "ok",
    version: deps.version,
    node: deps.node,
    database: {
      reachable: ping !== null,
      version: ping?.version ?? null,
      latencyMs: ping === null ? null : Math.round(ping.latencyMs * 100) / 100,
      connections: store.pool(),
    },
    echoUrl: dev ? `${deps.signIn.url()}/dev/echo` : null,
    ...(known ?? { clock: null, queue: null, nodes: null }),
  };
  return { status: 200, body };
}

async function look({ store, clock }: ApiDeps) {
  const sentAt = clock().getTime();
  const { now, lagMs } = await store.stats.lag();
  const receivedAt = clock().getTime();
  const [depth, nodes] = await Promise.all([store.queue.depth(), store.nodes.list()]);
  return {
    clock: { offsetMs: Math.round(now.getTime() - (sentAt + receivedAt) / 2) },
    queue: { due: depth.reduce((sum, band) => sum + band.due, 0), lagMs, depth },
    nodes: { alive: nodes.filter((node) => node.alive).length, lost: nodes.filter((node) => !node.alive).length },
  };
}

/** Null if it failed or took too long. */
async function inTime<T>(work: () => Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), DATABASE_MS_MAX);
  });
  try {
    return await Promise.race([work().catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
