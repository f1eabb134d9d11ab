import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  createTestDatabase,
  makeTestFolder,
  startTestCluster,
  type TestDatabase,
} from "../../tests/support/database.ts";
import { makeProgram, until } from "../../tests/support/programs.ts";
import { PROJECT } from "../../tests/support/store.ts";
import type { Json } from "../contract/json.ts";
import { holderId } from "../core/ids.ts";
import { type ProgramEvent, type Punctual, type Run, WorkerStopped } from "./index.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  // After the programs, which were made later.
  onTestFinished(() => database.drop());
});

async function executions(): Promise<{ id: string; state: string; result: Json; attempt: number }[]> {
  const { rows } = await database.pool.query("select id, state, result, attempt from punctual.execution order by id");
  return rows;
}

async function queued(): Promise<number> {
  const { rowCount } = await database.pool.query("select from punctual.queue");
  return rowCount!;
}

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await database.pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount!;
}

test("a job declared in code runs its function when triggered, and the ledger has what it returned and said", async () => {
  const p = makeProgram(database.url);
  p.job("cleanup", {}, async (run) => {
    run.log.info("removing", { region: "eu" });
    return { removed: 3, payload: run.payload };
  });
  await p.start();
  const { executionId, deduplicated } = await p.trigger("cleanup", { region: "eu" });
  expect(deduplicated).toBe(false);
  await until(async () => (await executions()).length === 1);
  expect(await executions()).toMatchObject([
    { id: executionId, state: "succeeded", result: { removed: 3, payload: { region: "eu" } } },
  ]);
  const { rows } = await database.pool.query("select level, message, fields from punctual.execution_log");
  expect(rows).toEqual([{ level: "info", message: "removing", fields: { region: "eu" } }]);
});

test("a schedule in code fires by itself", async () => {
  const p = makeProgram(database.url);
  const instants: Date[] = [];
  p.job("tick", { schedule: { every: "1s" } }, (run) => void instants.push(run.scheduledAt));
  await p.start();
  await until(() => instants.length >= 2);
  expect(instants[1]!.getTime() - instants[0]!.getTime()).toBe(1_000);
});

test("two instances share the work, and each instant runs once", async () => {
  const seen: { by: string; at: number }[] = [];
  for (const by of ["one", "other"]) {
    const p = makeProgram(database.url, { instance: by });
    p.job("tick", { schedule: { every: "1s" } }, (run) => void seen.push({ by, at: run.scheduledAt.getTime() }));
    p.job("work", { concurrency: 1 }, async () => {
      seen.push({ by, at: 0 });
      await until(() => seen.some((one) => one.at === 0 && one.by !== by));
    });
    await p.start();
    // Each can run only one at a time and waits for the other: both must have taken one.
    if (by === "other") for (let n = 0; n < 2; n += 1) await p.trigger("work");
  }
  await until(() => seen.filter(({ at }) => at === 0).length === 2);
  await until(() => seen.filter(({ at }) => at > 0).length >= 3);
  const instants = seen.filter(({ at }) => at > 0).map(({ at }) => at);
  expect(new Set(instants).size).toBe(instants.length);
});

test("an instance is known as a node and as a worker that offers its handlers, until it stops", async () => {
  const p = makeProgram(database.url, { instance: "shop-1", concurrency: 7 });
  p.job("cleanup", { concurrency: 3 }, () => {});
  await p.start();
  const look = async () => {
    const nodes = await database.pool.query("select id, name, concurrency from punctual.node");
    const workers = await database.pool.query("select holder, id, name, kind, handlers from punctual.worker");
    return { nodes: nodes.rows, workers: workers.rows };
  };
  const { nodes, workers } = await look();
  expect(workers).toMatchObject([{ name: "shop-1", kind: "library", handlers: [{ name: "shop/cleanup", slots: 3 }] }]);
  expect(workers[0].holder).toBe(holderId(PROJECT, workers[0].id));
  expect(nodes).toEqual([{ id: workers[0].holder, name: "shop-1", concurrency: 7 }]);
  await p.stop();
  expect(await look()).toEqual({ nodes: [], workers: [] });
});

test("the same key is the same execution; options of a trigger are those of the API", async () => {
  const p = makeProgram(database.url);
  p.job("cleanup", {}, () => {});
  await p.start();
  const options = { key: "order-17", runAt: new Date(Date.now() + 3_600_000), priority: 80 };
  const first = await p.trigger("cleanup", {}, options);
  expect(await p.trigger("cleanup", {}, options)).toEqual({ executionId: first.executionId, deduplicated: true });
  await p.trigger("cleanup", {}, { delay: "2h", overlap: "skip" });
  const { rows } = await database.pool.query(
    "select priority, key, overlap, triggered_by from punctual.queue order by run_at",
  );
  expect(rows).toEqual([
    { priority: 80, key: "order-17", overlap: "allow", triggered_by: "code:shop" },
    { priority: 50, key: null, overlap: "skip", triggered_by: "code:shop" },
  ]);
});

test("a trigger that cannot be is refused with the reason", async () => {
  const p = makeProgram(database.url);
  p.job("cleanup", { payloadSchema: z.object({ region: z.string() }) }, () => {});
  await expect(p.trigger("cleanup")).rejects.toThrow("trigger() needs a started program");
  await p.start();
  await expect(p.trigger("clean")).rejects.toThrow('there is no job "clean"');
  await expect(p.trigger("cleanup", { region: 1 })).rejects.toThrow(
    'does not fit what "cleanup" takes: payload.region',
  );
  await expect(p.trigger("cleanup", { region: "eu" }, { delay: "soon" })).rejects.toThrow("is not a duration");
  await expect(p.trigger("cleanup", { region: "eu" }, { runAt: new Date(0) })).rejects.toThrow("in the past");
  await expect(p.trigger("cleanup", { region: "eu" }, { runAt: new Date(Number.NaN) })).rejects.toThrow("runAt");
  await expect(p.trigger("cleanup", { region: "\u0000" })).rejects.toThrow("U+0000");
  await expect(p.trigger("cleanup", { region: "x".repeat(300_000) })).rejects.toThrow("a payload may have");
  await expect(p.trigger("cleanup", {}, { prio: 3 } as never)).rejects.toThrow('unknown field "prio"');
  expect(await queued()).toBe(0);
});

test("jobs can be made and removed while the program runs; what they leave out is as declared", async () => {
  const p = makeProgram(database.url);
  const seen: Json[] = [];
  p.job("cleanup", { timeout: "30s", retry: { maxAttempts: 7 } }, (run) => void seen.push(run.payload));
  await p.start();
  const made = await p.schedule("cleanup-eu", { job: "cleanup", schedule: { every: "1h" }, payload: { region: "eu" } });
  expect(made).toMatchObject({ name: "cleanup-eu", version: 1, handler: "shop/cleanup", release: null });
  const again = await p.schedule("cleanup-eu", {
    job: "cleanup",
    schedule: { every: "1h" },
    payload: { region: "eu" },
  });
  expect(again.version).toBe(1);
  const { rows } = await database.pool.query(
    "select spec from punctual.job_version v join punctual.job j on j.id = v.job_id where j.name = 'cleanup-eu'",
  );
  expect(rows).toMatchObject([{ spec: { timeout: "30s", retry: { maxAttempts: 7 } } }]);
  await p.trigger("cleanup-eu");
  await until(() => seen.length === 1);
  expect(seen).toEqual([{ region: "eu" }]);
  expect((await p.list()).map(({ name, release }) => [name, release])).toEqual([
    ["cleanup", "1"],
    ["cleanup-eu", null],
  ]);
  expect(await p.unschedule("cleanup-eu")).toBe(true);
  expect(await p.unschedule("cleanup-eu")).toBe(false);
  expect((await p.list()).map(({ name }) => name)).toEqual(["cleanup"]);
});

test("schedule and unschedule touch neither declared jobs nor those of others", async () => {
  const other = makeProgram(database.url, { app: "billing" });
  other.job("invoice", {}, () => {});
  await other.start();
  const p = makeProgram(database.url);
  p.job("cleanup", {}, () => {});
  await p.start();
  const schedule = { every: "1h" };
  await expect(p.schedule("invoice", { job: "cleanup", schedule })).rejects.toThrow("belongs to code:billing");
  await expect(p.unschedule("invoice")).rejects.toThrow("belongs to code:billing");
  await expect(p.schedule("cleanup", { job: "cleanup", schedule })).rejects.toThrow("is declared in code");
  await expect(p.unschedule("cleanup")).rejects.toThrow("is declared in code");
  await expect(p.schedule("x", { job: "clean", schedule })).rejects.toThrow(
    "is not one that this program declares: cleanup",
  );
  await expect(p.schedule("x", { job: "cleanup", schedule: { cron: "nonsense" } })).rejects.toThrow("schedule.cron");
});

test("a job that belongs to others stops the start, and nothing is changed", async () => {
  const first = makeProgram(database.url, { app: "billing" });
  first.job("report", {}, () => {});
  await first.start();
  const p = makeProgram(database.url);
  p.job("cleanup", {}, () => {});
  p.job("report", {}, () => {});
  await expect(p.start()).rejects.toThrow('"shop" cannot declare jobs that belong to others: "report" (code:billing)');
  expect((await first.list()).map(({ name, source }) => [name, source])).toEqual([["report", "code:billing"]]);
  expect((await database.pool.query("select from punctual.job")).rowCount).toBe(1);
});

test("an older release that starts beside a newer one runs its handlers and changes no job", async () => {
  const newer = makeProgram(database.url, { release: "1.10" });
  newer.job("cleanup", { priority: 70 }, () => ({ by: "newer" }));
  await newer.start();
  await newer.stop();
  const older = makeProgram(database.url, { release: "1.9" });
  older.job("cleanup", { priority: 30 }, () => ({ by: "older" }));
  await older.start();
  await older.trigger("cleanup");
  await until(async () => (await executions()).length === 1);
  expect(await executions()).toMatchObject([{ result: { by: "older" } }]);
  expect(await older.list()).toMatchObject([{ name: "cleanup", version: 1, release: "1.10" }]);
});

test("a listener hears of its kind of event with the job's name, until it is taken off or the program stops", async () => {
  const p = makeProgram(database.url);
  const [heard, all]: [ProgramEvent[], string[]] = [[], []];
  p.job("cleanup", { retry: { maxAttempts: 1 } }, () => Promise.reject(new Error("no disk")));
  const off = p.on("execution.failed", (event) => void heard.push(event));
  p.on("*", ({ type }) => void all.push(type));
  await p.start();
  const { executionId } = await p.trigger("cleanup");
  await until(() => heard.length === 1);
  expect(heard).toMatchObject([
    {
      type: "execution.failed",
      job: "cleanup",
      data: { executionId, attempt: 1, reason: { code: "attempts_exhausted" } },
    },
  ]);
  off();
  await p.trigger("cleanup");
  await until(() => all.filter((type) => type === "execution.failed").length === 2);
  expect(heard).toHaveLength(1);
  await p.stop();
  const before = all.length;
  const another = makeProgram(database.url);
  another.job("cleanup", {}, () => {});
  await another.start();
  await another.trigger("cleanup");
  await until(async () => (await executions()).length === 3);
  expect(all).toHaveLength(before);
});

test("events of other instances are heard too, those of other projects are not", async () => {
  await database.pool.query("insert into punctual.project (id, name) values (gen_random_uuid(), 'elsewhere')");
  const listening = makeProgram(database.url);
  const types = new Set<string>();
  const jobs: unknown[] = [];
  listening.job("cleanup", { concurrency: 1 }, () => {});
  listening.on("execution.succeeded", ({ job, data }) => {
    types.add(String(data.jobId));
    jobs.push(job);
  });
  await listening.start();
  const foreign = makeProgram(database.url, { project: "elsewhere", app: "far" });
  foreign.job("cleanup", {}, () => {});
  await foreign.start();
  const near = makeProgram(database.url, { app: "near" });
  near.job("sweep", {}, () => {});
  await near.start();
  await foreign.trigger("cleanup");
  await until(async () => (await executions()).length === 1);
  // Until the others know that somebody listens, which takes a moment, they send nothing.
  await until(async () => {
    await near.trigger("sweep");
    return jobs.length > 0;
  });
  expect(types.size).toBe(1);
  expect(new Set(jobs)).toEqual(new Set([null]));
});

test("a listener that throws is reported and breaks nothing", async () => {
  const errors: unknown[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (...line: unknown[]) => void errors.push(line),
  };
  const p = makeProgram(database.url, { log });
  p.job("cleanup", {}, () => {});
  p.on("execution.succeeded", () => {
    throw new Error("oh");
  });
  p.on("execution.succeeded", () => Promise.reject(new Error("no")));
  await p.start();
  await p.trigger("cleanup");
  await until(() => errors.length === 2);
  expect(errors).toMatchObject([
    ["listener.failed", { type: "execution.succeeded", error: { message: "oh" } }],
    ["listener.failed", { error: { message: "no" } }],
  ]);
  await p.trigger("cleanup");
  await until(async () => (await executions()).length === 2);
  expect(() => p.on("execution.exploded" as never, () => {})).toThrow('there is no event "execution.exploded"');
});

test("stop lets what runs end and takes nothing more", async () => {
  const p = makeProgram(database.url);
  const work = new Work();
  p.job("cleanup", { concurrency: 1 }, () => work.begin());
  await p.start();
  await p.trigger("cleanup");
  await until(() => work.begun);
  await p.trigger("cleanup");
  const stopped = p.stop();
  setTimeout(() => work.finish(), 200);
  await stopped;
  expect(await executions()).toMatchObject([{ state: "succeeded", attempt: 1 }]);
  expect(await queued()).toBe(1);
});

test("what does not end in time is told by its signal, counts as lost, and runs again elsewhere", async () => {
  const p = makeProgram(database.url, { drain: "100ms" });
  let run: Run | undefined;
  p.job("cleanup", { retry: { initialDelay: "1ms" } }, (given) => {
    run = given;
    return new Promise(() => {});
  });
  await p.start();
  await p.trigger("cleanup");
  await until(() => run !== undefined);
  await p.stop();
  expect(run!.signal.reason).toBeInstanceOf(WorkerStopped);
  const another = makeProgram(database.url);
  another.job("cleanup", { retry: { initialDelay: "1ms" } }, (again) => ({ attempt: again.attempt }));
  await another.start();
  await until(async () => (await executions()).length === 1);
  expect(await executions()).toMatchObject([{ state: "succeeded", attempt: 2, result: { attempt: 2 } }]);
});

test("at most once, what does not end before the stop ends unknown, and is not called again", async () => {
  const calls: number[] = [];
  const declare = (p: Punctual) =>
    p.job("pay", { delivery: "at_most_once", retry: { initialDelay: "1ms" } }, (run) => {
      calls.push(run.attempt);
      return new Promise(() => {});
    });
  const p = makeProgram(database.url, { drain: "100ms" });
  declare(p);
  await p.start();
  await p.trigger("pay");
  await until(() => calls.length === 1);
  await p.stop();
  expect(await executions()).toMatchObject([{ state: "unknown", attempt: 1 }]);
  expect(await queued()).toBe(0);
  const another = makeProgram(database.url);
  declare(another);
  another.job("other", {}, () => {});
  await another.start();
  await another.trigger("other");
  await until(async () => (await executions()).length === 2);
  expect(calls).toEqual([1]);
});

test("at most once, a function that is given up when its time is over ends unknown", async () => {
  const p = makeProgram(database.url);
  const call = vi.fn(() => new Promise(() => {}));
  p.job("pay", { delivery: "at_most_once", timeout: "100ms", retry: { initialDelay: "1ms" } }, call);
  await p.start();
  await p.trigger("pay");
  await until(async () => (await executions()).length === 1);
  expect(await executions()).toMatchObject([{ state: "unknown", attempt: 1 }]);
  expect(call).toHaveBeenCalledTimes(1);
});

test("at most once, what failed by itself before the stop has failed, and is not called again", async () => {
  const p = makeProgram(database.url, { drain: "100ms" });
  let [failed, stopped] = [false, false];
  p.job("pay", { delivery: "at_most_once", retry: { initialDelay: "1ms" } }, (run) => {
    run.log.info("no money");
    failed = true;
    throw new Error("no money");
  });
  p.job("long", {}, (run) => {
    run.signal.addEventListener("abort", () => {
      stopped = true;
    });
    return new Promise(() => {});
  });
  await p.start();
  // Its end is not told before its lines are written, and they cannot be.
  const locking = await database.pool.connect();
  await locking.query("begin");
  await locking.query("lock table punctual.execution_log in access exclusive mode");
  await p.trigger("long");
  const { executionId } = await p.trigger("pay");
  await until(() => failed);
  const stopping = p.stop();
  await until(() => stopped);
  await locking.query("rollback");
  locking.release();
  await stopping;
  expect((await executions()).find(({ id }) => id === executionId)).toMatchObject({ state: "failed", attempt: 1 });
});

test("a function that never returns is timed out, and its handler waits for it while others go on", async () => {
  const p = makeProgram(database.url);
  const work = new Work();
  p.job("stuck", { concurrency: 1, timeout: "200ms", retry: { maxAttempts: 1 } }, (run) => {
    return run.payload === "second" ? undefined : work.begin();
  });
  p.job("other", {}, () => {});
  await p.start();
  await p.trigger("stuck", "first");
  await until(async () => (await executions()).some(({ state }) => state === "failed"));
  await p.trigger("stuck", "second");
  await p.trigger("other");
  await until(async () => (await executions()).length === 2);
  expect((await executions()).map(({ state }) => state)).toEqual(["failed", "succeeded"]);
  work.finish();
  await until(async () => (await executions()).length === 3);
});

test("a program can be started once, and again after it was stopped; jobs come before the start", async () => {
  const p = makeProgram(database.url);
  const handler = vi.fn();
  p.job("cleanup", {}, handler);
  await p.start();
  await expect(p.start()).rejects.toThrow("stop() it first");
  expect(() => p.job("late", {}, () => {})).toThrow("declare all jobs before start()");
  await Promise.all([p.stop(), p.stop()]);
  await p.stop();
  await p.start();
  await p.trigger("cleanup");
  await until(() => handler.mock.calls.length === 1);
});

test("a program that is stopped while it starts does not start, and lets go of everything", async () => {
  const p = makeProgram(database.url);
  const handler = vi.fn();
  p.job("cleanup", {}, handler);
  const nodes = async () => (await database.pool.query("select from punctual.node")).rowCount;
  const starting = expect(p.start()).rejects.toThrow("it was stopped while it started");
  await p.stop();
  expect(await nodes()).toBe(0);
  await starting;
  // This time its jobs are declared, and it is about to join.
  const locking = await database.pool.connect();
  await locking.query("begin");
  await locking.query("lock table punctual.node in access exclusive mode");
  const again = expect(p.start()).rejects.toThrow("it was stopped while it started");
  await until(async () => (await waitingForLocks()) > 0);
  const stopped = p.stop();
  await locking.query("rollback");
  locking.release();
  await Promise.all([stopped, again]);
  expect(await nodes()).toBe(0);
  await p.start();
  await p.trigger("cleanup");
  await until(() => handler.mock.calls.length === 1);
});

test("a process whose program was stopped while it started ends by itself", async () => {
  const program = ["--import", "tsx", "tests/support/hasty-program.ts", database.url];
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const hasty = spawn(process.execPath, program, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void hasty.kill("SIGKILL"));
  const [said, [code]] = await Promise.all([text(hasty.stdout), once(hasty, "close")]);
  expect({ said, code }).toEqual({ said: "it was stopped while it started\n", code: 0 });
});

test("a start that fails lets go of everything and may be tried again", async () => {
  const p = makeProgram(database.url, { project: "later" });
  p.job("cleanup", {}, () => {});
  await expect(p.start()).rejects.toThrow('there is no project "later"');
  await database.pool.query("insert into punctual.project (id, name) values (gen_random_uuid(), 'later')");
  await p.start();
  expect(await p.list()).toHaveLength(1);
});

test("without a database of its own a program brings one, and several on one folder share it", {
  timeout: 120_000,
}, async () => {
  const folder = makeTestFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const seen = new Set<string>();
  const programs = ["one", "other"].map((instance) => makeProgram("embedded", { dataDir, instance }));
  for (const [n, p] of programs.entries()) p.job("cleanup", {}, () => void seen.add(String(n)));
  for (const p of programs) await p.start();
  expect(existsSync(join(dataDir, "postgres"))).toBe(true);
  await programs[0]!.trigger("cleanup");
  await until(() => seen.size === 1);
  expect(await programs[1]!.list()).toMatchObject([{ name: "cleanup" }]);
  for (const p of programs) await p.stop();
});

test("a stop does not wait for ever for a database that is away", { timeout: 120_000 }, async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.remove());
  const p = makeProgram(cluster.url, { drain: "1s" });
  const work = new Work();
  p.job("cleanup", {}, () => work.begin());
  await p.start();
  await p.trigger("cleanup");
  await until(() => work.begun);
  await cluster.kill9();
  work.finish();
  // That it returns is the promise; its result is lost, and the execution runs again when there is a database.
  await p.stop();
  await expect(p.list()).rejects.toThrow("needs a started program");
});

/** Work that takes as long as the test likes. */
class Work {
  begun = false;
  finish = () => {};

  begin(): Promise<void> {
    this.begun = true;
    return new Promise((resolve) => {
      this.finish = resolve;
    });
  }
}
