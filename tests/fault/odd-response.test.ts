// F15b: answers that a database refuses to store.
import { expect, test } from "vitest";
import { readLedger } from "../support/checker.ts";
import { beginFaultRun } from "../support/fault-run.ts";

const ODD = [
  "nul",
  "nul-json",
  "half-surrogate",
  "half-surrogate-json",
  "huge/8",
  "huge-json/8",
  "nested-json",
  "huge-number",
];

test("F15b: an answer the database would refuse costs none of the five hundred others a second call", async () => {
  const run = await beginFaultRun({ name: "F15b odd responses", leaseMs: 4_000 });
  const [node] = await run.startNodes(1, { env: { PUNCTUAL_CONCURRENCY: "1200" } });
  const create = async (name: string, path: string) => {
    const target = { type: "http", url: `${run.target.url}/slow/300/${path}` };
    const { status, body } = await node!.api("POST", "/jobs", { name, target, overlap: "allow" });
    expect({ status, body }).toMatchObject({ status: 201 });
    return String(body.id);
  };
  const ordinary = await create("ordinary", "ok");
  const odd = await Promise.all(ODD.map((path) => create(`odd-${path.replace("/", "-")}`, path)));
  const items = Array.from({ length: 500 }, (_, index) => ({ job: ordinary, payload: { index } }));
  // Spread among the others, so that each lands in a batch with some of them.
  for (const [index, job] of odd.entries()) items.splice(index * 60, 0, { job, payload: { index } });
  const { status, body } = await node!.api<{ items: { executionId: string }[] }>("POST", "/triggers", { items });
  expect(status).toBe(201);
  run.triggered.push(...body.items.map(({ executionId }) => executionId));
  run.faultAt = await run.now();
  await run.until("all have been called", 30_000, () => run.target.calls().length >= items.length);
  const report = await run.judge();
  expect(report.calls).toBe(items.length);
  const states = new Set((await readLedger(run.pool)).map(({ state, attempt }) => `${state} ${attempt}`));
  expect(states).toEqual(new Set(["succeeded 1"]));
  expect(node!.logged("settle.refused")).toEqual([]);
  // And people can read them.
  for (const job of odd) {
    const list = await node!.api<{ items: { id: string }[] }>("GET", `/jobs/${job}/executions`);
    expect((await node!.api("GET", `/executions/${list.body.items[0]!.id}`)).status).toBe(200);
  }
});
