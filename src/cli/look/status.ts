import type { DetailedHealth, HandlerView, Me, NodeView, Stats, WorkerView } from "../../client/index.ts";
import { PunctualApiError, type PunctualClient } from "../../client/index.ts";
import { EXIT } from "../exit-code.ts";
import { toneOf } from "../output/colour.ts";
import { type Fact, facts } from "../output/facts.ts";
import type { Output } from "../output/output.ts";
import { lasting } from "../output/time.ts";
import type { Session } from "../session.ts";

export interface StatusFlags {
  window: string;
}

interface Status {
  health: DetailedHealth;
  me: Me;
  stats: Stats;
  /** Null for keys that may not see them. */
  nodes: NodeView[] | null;
  workers: WorkerView[];
  handlers: HandlerView[];
}

/** Exit code 1 if the database cannot be reached, so that a script can ask whether all is well. */
export async function showStatus(session: Session, { window }: StatusFlags): Promise<number> {
  const { out } = session;
  const status = await look(await session.client(), window);
  out.show(status, () => statusText(status, session));
  return status.health.status === "ok" ? EXIT.done : EXIT.failed;
}

async function look(client: PunctualClient, window: string): Promise<Status> {
  const [health, me, stats, nodes, workers, handlers] = await Promise.all([
    client.health.detailed(),
    client.me(),
    client.stats({ window }),
    allowed(client.nodes()),
    client.workers.list(),
    client.handlers.list(),
  ]);
  return { health, me, stats, nodes: nodes?.items ?? null, workers: workers.items, handlers: handlers.items };
}

async function allowed<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PunctualApiError && error.status === 403) return null;
    throw error;
  }
}

function statusText(status: Status, { out, remote }: Session): string {
  const { health, me, stats, nodes } = status;
  const state = out.paint(toneOf(health.status) ?? "strong", health.status);
  const head = `${out.paint("strong", "Punctual")} ${health.version} at ${remote.url}  ${state}`;
  const rows: Fact[] = [
    ["Project", me.project === null ? `none, as ${me.name}` : `${me.project.name}, as ${me.name}`],
    ["Database", databaseText(health)],
    ["Queue", queueText(health)],
    ["Nodes", health.nodes === null ? null : `${health.nodes.alive} alive${lostText(health.nodes.lost)}`],
    ["Workers", workersText(status)],
    ["Handlers", handlersText(status)],
    ["Dead letters", stats.deadLetters === 0 ? "none" : `${stats.deadLetters} open: punctual dead-letters groups`],
    ["Rate", rateText(stats)],
    [`Last ${stats.window}`, totalsText(stats)],
    ["Lateness", percentilesText(stats.latenessMs)],
    ["Duration", percentilesText(stats.durationMs)],
  ];
  const list = nodes === null ? "" : nodesText(nodes, out);
  return `${head}\n${facts(rows, out)}${list === "" ? "" : `\n${list}`}`;
}

function databaseText({ database }: DetailedHealth): string {
  if (!database.reachable) return "cannot be reached";
  const { total, idle, waiting } = database.connections;
  const connections = `${total - idle} of ${total} connections busy${waiting > 0 ? `, ${waiting} waiting` : ""}`;
  return `PostgreSQL ${database.version}, answers in ${lasting(database.latencyMs ?? 0)}, ${connections}`;
}

function queueText({ queue }: DetailedHealth): string | null {
  if (queue === null) return null;
  return queue.due === 0 ? "nothing waits" : `${queue.due} due, the oldest for ${lasting(queue.lagMs)}`;
}

function lostText(lost: number): string {
  return lost === 0 ? "" : `, ${lost} lost`;
}

function workersText({ workers }: Status): string {
  const alive = workers.filter((worker) => worker.alive);
  const running = alive.reduce((sum, worker) => sum + worker.running, 0);
  if (workers.length === 0) return "none";
  return `${alive.length} alive${lostText(workers.length - alive.length)}, ${running} running`;
}

function handlersText({ handlers }: Status): string | null {
  const alone = handlers.filter(({ status }) => status === "unserved" || status === "unknown");
  if (handlers.length === 0) return null;
  if (alone.length === 0) return `${handlers.length}, all served`;
  return `nobody serves ${alone.map(({ name }) => name).join(", ")}`;
}

function rateText({ ratePerSecond, errorRate }: Stats): string {
  const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
  return `${ratePerSecond["1m"]}/s over 1 m, ${ratePerSecond["15m"]}/s over 15 m; errors ${percent(errorRate["1m"])}, ${percent(errorRate["15m"])}`;
}

function totalsText({ totals }: Stats): string {
  const parts = Object.entries(totals).filter(([state, count]) => count > 0 && state !== "attempts");
  return parts.length === 0 ? "nothing ran" : parts.map(([state, count]) => `${count} ${state}`).join(", ");
}

function percentilesText({ p50, p95, p99 }: Stats["durationMs"]): string | null {
  if (p50 === null) return null;
  return `half within ${lasting(p50)}, 95 % ${lasting(p95 ?? p50)}, 99 % ${lasting(p99 ?? p50)}`;
}

function nodesText(nodes: readonly NodeView[], out: Output): string {
  return out.table(nodes, [
    { title: "NODE", of: ({ name }) => name, min: 12 },
    { title: "STATE", of: ({ alive }) => (alive ? { text: "alive", tone: "good" } : { text: "lost", tone: "bad" }) },
    { title: "RUNNING", of: ({ running, concurrency }) => `${running}/${concurrency}`, align: "right" },
    { title: "SEEN", of: ({ renewedAt }) => out.time(renewedAt) },
    { title: "STARTED", of: ({ startedAt }) => out.time(startedAt) },
    { title: "VERSION", of: ({ version }) => version, rank: 1 },
    { title: "ROLES", of: ({ roles }) => roles.join(","), rank: 2 },
  ]);
}
