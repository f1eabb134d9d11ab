// X5: a web shop with the library in it, in two processes over one database; one of them is killed in the middle of its work.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Triggered } from "../../src/contract/trigger.ts";
import { createTestDatabase, makeTestFolder, type TestDatabase } from "../support/database.ts";
import { type Handling, type ShopOptions, TICKS } from "../support/shop-facts.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ORDERS = 100;
const LIMIT = { timeout: 120_000, interval: 50 };

class Shop {
  readonly name: string;
  readonly process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #err = "";
  url = "";

  constructor(options: ShopOptions) {
    this.name = options.name;
    const program = ["--import", "tsx", "tests/support/shop-program.ts", JSON.stringify(options)];
    this.process = spawn(process.execPath, program, { cwd: ROOT, stdio: ["pipe", "pipe", "pipe"] });
    this.#ended = once(this.process, "close");
    this.process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
    });
    onTestFinished(() => this.kill9());
  }

  async started(): Promise<this> {
    const failed = this.#ended.then(() => Promise.reject(new Error(`${this.name} did not start: ${this.#err}`)));
    const [line] = await Promise.race([once(this.process.stdout!.setEncoding("utf8"), "data"), failed]);
    this.url = String(line).trim();
    return this;
  }

  async order(id: string): Promise<Triggered> {
    const response = await fetch(`${this.url}/orders/${id}`, { method: "POST" });
    if (!response.ok) throw new Error(`${this.name} answered ${response.status} ${await response.text()}`);
    return (await response.json()) as Triggered;
  }

  async kill9(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
    await this.#ended;
  }

  async stop(): Promise<number | null> {
    this.process.kill("SIGTERM");
    await this.#ended;
    return this.process.exitCode;
  }
}

interface Row {
  id: string;
  job: string;
  trigger: string;
  state: string;
  count: number;
  scheduled_at: Date;
  attempts: { number: number; outcome: string }[];
}

async function ledger(database: TestDatabase): Promise<Row[]> {
  const { rows } = await database.pool.query<Row>(
    `select e.id, j.name as job, e.trigger, e.state, e.count, e.scheduled_at, e.attempts
     from punctual.execution e join punctual.job j on j.id = e.job_id order by e.id`,
  );
  return rows;
}

test("two instances of a program share its work; one is killed, and everything still runs, each instant once", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const folder = makeTestFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "handlings.jsonl");
  writeFileSync(file, "");
  const handlings = () =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Handling);

  const shops = ["one", "other"].map((name) => new Shop({ database: database.url, name, lease: "5s", file }));
  const [victim, survivor] = (await Promise.all(shops.map((shop) => shop.started()))) as [Shop, Shop];

  const ordered = await Promise.all(Array.from({ length: ORDERS }, (_, n) => shops[n % 2]!.order(`order-${n}`)));
  expect(new Set(ordered.map(({ executionId }) => executionId)).size).toBe(ORDERS);
  // Ordered again, by whichever of them: the same order.
  expect(await survivor.order("order-0")).toEqual({ executionId: ordered[0]!.executionId, deduplicated: true });

  const underway = () => {
    const lines = handlings().filter(({ shop, job }) => shop === victim.name && job === "order");
    const ended = new Set(lines.filter(({ what }) => what === "ends").map(({ execution }) => execution));
    return lines.filter(({ what, execution }) => what === "begins" && !ended.has(execution));
  };
  await vi.waitUntil(() => underway().length > 0, LIMIT);
  await victim.kill9();
  const interrupted = underway();
  expect(interrupted.length).toBeGreaterThan(0);

  const succeeded = async () =>
    (await ledger(database)).filter((row) => row.job === "order" && row.state === "succeeded");
  await vi.waitUntil(async () => (await succeeded()).length === ORDERS, LIMIT);
  expect(await survivor.stop()).toBe(0);

  const rows = await ledger(database);
  const orders = rows.filter(({ job }) => job === "order");
  expect(orders.map(({ id, state }) => [id, state]).sort()).toEqual(
    ordered.map(({ executionId }) => [executionId, "succeeded"]).sort(),
  );
  // What was under way when its process died was lost, and ran again elsewhere under the same id.
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { execution, attempt } of interrupted) {
    const { attempts } = byId.get(execution)!;
    expect(attempts.find(({ number }) => number === attempt)!.outcome).toBe("lost");
    expect(attempts.at(-1)!.outcome).toBe("succeeded");
    expect(handlings().some((one) => one.execution === execution && one.shop === survivor.name)).toBe(true);
  }
  // No attempt was made twice, and none that the ledger does not know.
  const begun = handlings().filter(({ what }) => what === "begins");
  const made = begun.map(({ execution, attempt }) => `${execution} ${attempt}`);
  expect(new Set(made).size).toBe(made.length);
  const left = await database.pool.query<{ job: string; scheduled_at: Date }>(
    "select j.name as job, q.scheduled_at from punctual.queue q join punctual.job j on j.id = q.job_id",
  );
  for (const tick of TICKS)
    expectEveryInstantOnce(
      rows.filter(({ job }) => job === tick),
      left.rows.filter(({ job }) => job === tick),
    );
});

/** One row for each second, from the first to the last, and none for two: it has run, or is still to run. */
function expectEveryInstantOnce(ran: Row[], left: { scheduled_at: Date }[]): void {
  const at = [...ran, ...left].map((row) => row.scheduled_at.getTime()).sort((a, b) => a - b);
  expect(ran.length).toBeGreaterThan(3);
  expect(at).toEqual(at.map((_, n) => at[0]! + n * 1_000));
  expect(ran.every(({ trigger, count }) => trigger === "schedule" && count === 1)).toBe(true);
  expect(new Set(ran.map(({ state }) => state))).toEqual(new Set(["succeeded"]));
}
