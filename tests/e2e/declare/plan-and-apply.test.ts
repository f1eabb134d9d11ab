import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applySteps, doableSteps, type StepResult } from "../../../src/cli/declare/apply-steps.ts";
import { readDeclaredFile } from "../../../src/cli/declare/declared-file.ts";
import { makePlan, type Plan, stepsOf } from "../../../src/cli/declare/plan.ts";
import { planJson, planText, summary } from "../../../src/cli/declare/plan-words.ts";
import { painter } from "../../../src/cli/output/colour.ts";
import { PunctualClient } from "../../../src/client/index.ts";
import { type ApiServer, KEY, startApi } from "../api/api-server.ts";

let api: ApiServer;
let client: PunctualClient;
beforeAll(async () => {
  api = await startApi();
  client = new PunctualClient({ url: api.url, key: KEY });
});
afterAll(async () => await api.close());

let source = "";
let made = 0;
beforeEach(() => {
  made += 1;
  source = `shop-${made}`;
});
afterEach(async () => {
  for await (const job of client.jobs.all()) await client.jobs.delete(job.id);
});

const HTTP = "target: { type: http, url: https://api.example/ }";

async function planOf(jobs: string, { adopt = false } = {}): Promise<Plan> {
  const declared = readDeclaredFile(`source: ${source}\n${jobs}`, "jobs.yaml", null);
  expect(declared.problems).toEqual([]);
  return await makePlan(client, declared, { adopt });
}

async function applyPlan(plan: Plan, { prune = false, adopt = false } = {}): Promise<StepResult[]> {
  const { changes, prunes } = doableSteps(plan, { prune });
  const options = { adopt, onDone: () => {} };
  return [...(await applySteps(client, changes, options)), ...(await applySteps(client, prunes, options))];
}

async function apply(jobs: string, options = {}): Promise<StepResult[]> {
  return await applyPlan(await planOf(jobs, options), options);
}

function text(plan: Plan, prune = false): string {
  return planText(plan, prune, { paint: painter(false), width: 80, time: () => "2 h ago" });
}

describe("planning", () => {
  test("new jobs are to be created, and nothing is made by planning", async () => {
    const plan = await planOf(`jobs:\n  a: { schedule: { cron: "0 2 * * *" }, ${HTTP} }\n  b: { ${HTTP} }`);
    expect(summary(plan, false)).toBe("2 to create, 0 to change, 0 unchanged");
    expect(text(plan)).toContain("+ a\n    0 2 * * * (UTC), POST https://api.example/");
    expect((await client.jobs.list()).items).toEqual([]);
  });

  test("a change is told field by field, from what to what", async () => {
    await apply(`jobs:\n  a: { schedule: { cron: "0 2 * * *" }, ${HTTP}, payload: { n: 1, keep: true } }`);
    const plan = await planOf(
      `jobs:\n  a: { schedule: { cron: "0 3 * * *" }, ${HTTP}, payload: { n: 2, keep: true }, tags: [x] }`,
    );
    const [step] = stepsOf(plan, "change");
    expect(step!.fields).toEqual([
      { field: "tags", from: [], to: ["x"] },
      { field: "schedule.cron", from: "0 2 * * *", to: "0 3 * * *" },
      { field: "payload.n", from: 1, to: 2 },
    ]);
    expect(text(plan)).toContain(
      '~ a (version 1 → 2)\n    tags: [] → ["x"]\n    schedule.cron: "0 2 * * *" → "0 3 * * *"',
    );
  });

  test("values that may be passwords are never shown, references to secrets are", async () => {
    await apply(`jobs:\n  a: { ${HTTP}, payload: { password: old, user: ann } }`);
    const withSecret = `jobs:\n  a: { target: { type: http, url: https://api.example/, headers: { authorization: "Bearer {{secrets.T}}" } }, payload: { password: new, user: bob } }`;
    expect(text(await planOf(withSecret))).toContain("set it first: punctual secrets set T");
    await client.secrets.put("T", "value");
    const plan = await planOf(withSecret);
    const shown = text(plan) + JSON.stringify(planJson(plan));
    expect(shown).not.toMatch(/\b(old|new)\b/);
    expect(shown).toContain("Bearer {{secrets.T}}");
    expect(shown).toContain("bob");
  });

  test("every bad job is reported at once with its place, and the good ones still planned", async () => {
    const plan = await planOf(`jobs:
  good: { ${HTTP} }
  late:
    schedule: { cron: "61 * * * *" }
    ${HTTP}
  odd:
    target: { type: http, url: "http://10.0.0.1/" }
    colour: red
`);
    expect(summary(plan, false)).toBe("1 to create, 0 to change, 0 unchanged, 2 wrong");
    const problems = stepsOf(plan, "refused").flatMap((step) => step.problems);
    expect(problems).toEqual([
      expect.objectContaining({
        job: "late",
        field: "schedule.cron",
        place: { file: "jobs.yaml", line: 5, column: 17 },
      }),
      expect.objectContaining({ job: "odd", field: "colour", place: { file: "jobs.yaml", line: 9, column: 5 } }),
    ]);
    expect(text(plan)).toContain("x jobs.yaml:5:17 late schedule.cron");
  });

  test("a job of another's is refused with the way out, and taken over when that is said", async () => {
    await client.jobs.put("by-hand", { target: { type: "http", url: "https://old.example/" } });
    const file = `jobs:\n  by-hand: { ${HTTP} }`;
    const refused = await planOf(file);
    expect(text(refused)).toMatch(/by hand.*adopt/s);
    const taken = await planOf(file, { adopt: true });
    expect(text(taken)).toContain("taken over: it was made by hand");
    expect(text(taken)).toContain('target.url: "https://old.example/" → "https://api.example/"');
    await applyPlan(taken, { adopt: true });
    expect(await client.jobs.get("by-hand")).toMatchObject({ source: `file:${source}`, version: 2 });
    expect(summary(await planOf(file), false)).toBe("0 to create, 0 to change, 1 unchanged");
  });

  test("what a narrow terminal cannot hold goes below each other", async () => {
    await apply(`jobs:\n  a: { target: { type: http, url: https://api.example/${"x".repeat(60)} } }`);
    const plan = await planOf(`jobs:\n  a: { target: { type: http, url: https://api.example/${"y".repeat(90)} } }`);
    const lines = text(plan).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines).toContainEqual(expect.stringMatching(/^ {6}\+ "https:\/\/api\.example\/y+…$/));
  });
});

describe("applying", () => {
  const FILE = `defaults: { timezone: Europe/Berlin, tags: [team] }
jobs:
  cron: { schedule: { cron: "0 2 * * *" }, ${HTTP} }
  every: { schedule: { every: 1h }, ${HTTP} }
  once: { schedule: { at: "2090-01-01T09:00:00" }, ${HTTP} }
  later: { schedule: { delay: 30d }, ${HTTP} }
  manual: { target: { type: worker, handler: send } }
`;

  test("the second run changes nothing and makes no versions", async () => {
    const first = await apply(FILE);
    expect(first.map(({ done, action }) => [done, action])).toEqual(Array(5).fill([true, "create"]));
    const again = await planOf(FILE);
    expect(summary(again, true)).toBe("0 to create, 0 to change, 5 unchanged");
    expect(await applyPlan(again, { prune: true })).toEqual([]);
    for await (const job of client.jobs.all()) expect(job).toMatchObject({ version: 1, source: `file:${source}` });
  });

  test("a change made between plan and apply is a conflict, and not overwritten", async () => {
    await apply(`jobs:\n  a: { ${HTTP} }\n  b: { ${HTTP} }`);
    const plan = await planOf(`jobs:\n  a: { ${HTTP}, priority: 1 }\n  b: { ${HTTP}, priority: 1 }\n  c: { ${HTTP} }`);
    await client.jobs.patch("a", { priority: 99 });
    await client.jobs.put("c", { target: { type: "worker", handler: "mine" } });
    const results = await applyPlan(plan);
    expect(results.map(({ job, done, error }) => [job, done, error?.code])).toEqual([
      ["a", false, "version_mismatch"],
      ["b", true, undefined],
      ["c", false, "name_taken"],
    ]);
    expect((await client.jobs.get("a")).priority).toBe(99);
    expect((await client.jobs.get("c")).target.type).toBe("worker");
  });

  test("a change by hand shows as drift with who and when, and applying takes it back", async () => {
    const file = `jobs:\n  a: { ${HTTP}, priority: 10 }`;
    await apply(file);
    await client.jobs.patch("a", { priority: 99 });
    const plan = await planOf(file);
    const [step] = stepsOf(plan, "change");
    expect(step!.drift).toMatchObject({ version: 2, by: "tester", source: null });
    expect(summary(plan, false)).toBe("0 to create, 1 to change (1 drifted), 0 unchanged");
    expect(text(plan)).toMatch(/^! a \(version 2 → 3\)\n {4}drifted: tester changed it by hand, 2 h ago \(version 2\)/);
    await applyPlan(plan);
    expect(await client.jobs.get("a")).toMatchObject({ priority: 10, drifted: false, version: 3 });
  });

  test("a change by hand that the file follows, or that was taken back, is no drift", async () => {
    const file = (priority: number) => `jobs:\n  a: { ${HTTP}, priority: ${priority} }`;
    await apply(file(10));
    await client.jobs.patch("a", { priority: 20 });
    const agreed = await planOf(file(20));
    expect(summary(agreed, false)).toBe("0 to create, 0 to change, 1 unchanged");
    await applyPlan(agreed);
    expect(await client.jobs.get("a")).toMatchObject({ drifted: false, version: 2 });

    await client.jobs.patch("a", { priority: 30 });
    await client.jobs.patch("a", { priority: 20 });
    const [step] = stepsOf(await planOf(file(40)), "change");
    expect(step!.drift).toBeNull();
  });

  test("only jobs of the same source are pruned, and only when asked", async () => {
    await client.jobs.put("by-hand", { target: { type: "worker", handler: "x" } });
    await client.jobs.put("other", { target: { type: "worker", handler: "x" } }, { source: "file:other" });
    await apply(`jobs:\n  a: { ${HTTP} }\n  b: { ${HTTP} }`);
    const plan = await planOf(`jobs:\n  a: { ${HTTP} }`);
    expect(text(plan)).toContain(`- b\n    no longer declared by file:${source}: stays, unless --prune is given`);
    expect(await applyPlan(plan)).toEqual([]);
    expect(await applyPlan(plan, { prune: true })).toMatchObject([{ job: "b", action: "prune", done: true }]);
    const left = (await client.jobs.list({ sort: "name" })).items.map(({ name }) => name);
    expect(left).toEqual(["a", "by-hand", "other"]);
  });

  test("a job that another source took over since the plan is not pruned", async () => {
    await apply(`jobs:\n  a: { ${HTTP} }`);
    const plan = await planOf("jobs: {}");
    const { fields } = { fields: { target: { type: "http" as const, url: "https://api.example/" } } };
    await client.jobs.put("a", fields, { source: "file:other", adopt: true });
    expect(await applyPlan(plan, { prune: true })).toMatchObject([{ done: false, error: { code: "wrong_source" } }]);
  });

  test("a pause is left alone", async () => {
    await apply(`jobs:\n  a: { schedule: { every: 1h }, ${HTTP} }`);
    await client.jobs.pause("a", { reason: "maintenance" });
    expect(summary(await planOf(`jobs:\n  a: { schedule: { every: 1h }, ${HTTP} }`), false)).toContain("1 unchanged");
    await apply(`jobs:\n  a: { schedule: { every: 2h }, ${HTTP} }`);
    expect(await client.jobs.get("a")).toMatchObject({ state: "paused", version: 2 });
  });

  test("hundreds of jobs are planned, made, and found unchanged, over several pages", async () => {
    const jobs = Array.from({ length: 401 }, (_, i) => `  job-${i}: { schedule: { every: 1h }, ${HTTP} }`).join("\n");
    const results = await apply(`jobs:\n${jobs}`);
    expect(results.filter(({ done }) => done)).toHaveLength(401);
    expect(summary(await planOf(`jobs:\n${jobs}`), false)).toBe("0 to create, 0 to change, 401 unchanged");
  });
});
