import type { DetailedHealth, HandlerView, WorkerView } from "punctual/client";
import { CLOCK_MS, LAG_MS } from "../../api/health-limits.ts";
import { counted } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";

export interface Trouble {
  tone: "bad" | "warn";
  text: string;
}

/** What somebody has to see to, worst first. What is not known yet is no trouble. */
export function troublesOf({
  handlers = [],
  workers = [],
  health,
}: {
  handlers?: readonly HandlerView[] | undefined;
  workers?: readonly WorkerView[] | undefined;
  health?: DetailedHealth | undefined;
}): Trouble[] {
  const found = [
    ...ofHealth(health),
    ...handlers.flatMap(ofHandler),
    ...workers.filter(({ alive, running }) => !alive && running > 0).map(ofLostWorker),
  ];
  return found.sort((a, b) => Number(a.tone === "warn") - Number(b.tone === "warn"));
}

function ofHandler({ name, status, waiting, jobs }: HandlerView): Trouble[] {
  if (status !== "unserved" && status !== "unknown") return [];
  const wanted = `${counted(jobs, "job wants", "jobs want")} the handler ${name}`;
  const why = status === "unknown" ? "no worker has ever offered it" : "no living worker offers it";
  if (waiting === 0) return [{ tone: "warn", text: `${wanted}, and ${why}.` }];
  return [
    { tone: "bad", text: `${wanted}, and ${why}: ${counted(waiting, "execution waits", "executions wait")} for it.` },
  ];
}

function ofLostWorker({ name, running }: WorkerView): Trouble {
  return {
    tone: "warn",
    text: `The worker ${name} has not been heard of while it held ${counted(running, "execution")}; others take over.`,
  };
}

function ofHealth(health: DetailedHealth | undefined): Trouble[] {
  if (health === undefined) return [];
  const { database, queue, nodes, clock } = health;
  const found: Trouble[] = [];
  if (!database.reachable) found.push({ tone: "bad", text: "The node that answers does not reach the database." });
  if (queue !== null && queue.lagMs >= LAG_MS.warn)
    found.push({
      tone: queue.lagMs >= LAG_MS.bad ? "bad" : "warn",
      text: `${counted(queue.due, "execution is", "executions are")} due and not started, the oldest for ${durationText(queue.lagMs)}.`,
    });
  if (nodes !== null && nodes.lost > 0)
    found.push({
      tone: "warn",
      text: `${counted(nodes.lost, "node was", "nodes were")} lost without a farewell; the others do their work.`,
    });
  if (database.connections.waiting > 0)
    found.push({
      tone: "warn",
      text: `${counted(database.connections.waiting, "call waits", "calls wait")} for a connection to the database at this node.`,
    });
  if (clock !== null && Math.abs(clock.offsetMs) >= CLOCK_MS)
    found.push({
      tone: "warn",
      text: `The clock of this node is ${durationText(clock.offsetMs)} ${clock.offsetMs > 0 ? "behind" : "ahead of"} the database’s.`,
    });
  return found;
}
