import type { WorkerView } from "../../contract/worker.ts";
import { EXIT } from "../exit-code.ts";
import { toneOf } from "../output/colour.ts";
import { facts } from "../output/facts.ts";
import type { Session } from "../session.ts";

export async function listWorkers(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  out.showList(
    await client.workers.list(),
    [
      { title: "ID", of: ({ id }) => id, min: 16 },
      { title: "STATE", of: (worker) => ({ text: stateOf(worker), tone: toneOf(stateOf(worker)) }) },
      { title: "RUNNING", of: ({ running }) => String(running), align: "right" },
      { title: "SLOTS", of: (worker) => String(slotsOf(worker)), align: "right" },
      { title: "HANDLERS", of: ({ handlers }) => handlers.map(({ name }) => name).join(","), min: 16 },
      { title: "SEEN", of: ({ renewedAt }) => out.time(renewedAt) },
      { title: "NAME", of: ({ name }) => name, rank: 1, min: 8 },
      { title: "STARTED", of: ({ startedAt }) => out.time(startedAt), rank: 2 },
      { title: "KIND", of: ({ kind }) => kind, rank: 3 },
    ],
    { empty: "No worker is connected. docs/workers.md shows how to write one in a few lines." },
  );
}

export async function showWorker(session: Session, _: object, id: string): Promise<void> {
  const { out } = session;
  const worker = await (await session.client()).workers.get(id);
  out.show(worker, () => {
    const state = out.paint(toneOf(stateOf(worker)) ?? "strong", stateOf(worker));
    const rows = facts(
      [
        ["Id", worker.id],
        ["Kind", worker.kind],
        ["Running", `${worker.running} of ${slotsOf(worker)}`],
        ["Started", out.timeInFull(worker.startedAt)],
        ["Last seen", out.timeInFull(worker.renewedAt)],
        ["Lease until", out.timeInFull(worker.leaseUntil)],
      ],
      out,
    );
    const handlers = out.table(worker.handlers, [
      { title: "HANDLER", of: ({ name }) => name, min: 20 },
      { title: "SLOTS", of: ({ slots }) => String(slots), align: "right" },
    ]);
    return `${out.paint("strong", worker.name)}  ${state}\n${rows}${handlers === "" ? "" : `\n${handlers}`}`;
  });
}

export async function drainWorkers(session: Session, _: object, ...ids: string[]): Promise<number> {
  const { out } = session;
  const client = await session.client();
  for (const id of ids) {
    const worker = await client.workers.drain(id);
    if (ids.length === 1) out.show(worker, () => "");
    else out.showLine(worker, () => "");
    if (!out.json) out.note(`${id} takes nothing more and leaves when its ${worker.running} running are done.`);
  }
  return EXIT.done;
}

export async function listHandlers(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const page = await client.handlers.list();
  out.showList(
    page,
    [
      { title: "HANDLER", of: ({ name }) => name, min: 16 },
      { title: "STATUS", of: ({ status }) => ({ text: status, tone: status === "unknown" ? "bad" : toneOf(status) }) },
      { title: "JOBS", of: ({ jobs }) => String(jobs), align: "right" },
      { title: "WORKERS", of: ({ workers }) => String(workers), align: "right" },
      { title: "SLOTS", of: ({ slots }) => String(slots), align: "right" },
      { title: "WAITING", of: ({ waiting }) => String(waiting), align: "right" },
      { title: "OLDEST", of: ({ oldestDueAt }) => out.time(oldestDueAt) },
      { title: "LAST SEEN", of: ({ lastSeenAt }) => (lastSeenAt === null ? "never" : out.time(lastSeenAt)), rank: 1 },
    ],
    { empty: "No job wants a handler, and no worker offers one." },
  );
  const alone = page.items.filter(({ status }) => status === "unserved" || status === "unknown");
  if (alone.length > 0 && !out.json)
    out.note(`${alone.map(({ name }) => name).join(", ")}: jobs want it, and no living worker offers it.`);
}

function stateOf({ alive, draining }: WorkerView): string {
  if (!alive) return "lost";
  return draining ? "draining" : "alive";
}

function slotsOf({ handlers }: WorkerView): number {
  return handlers.reduce((sum, { slots }) => sum + slots, 0);
}
