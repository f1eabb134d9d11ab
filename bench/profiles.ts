// Where the time goes: npm run bench -- --only profiles. Not a comparison: Punctual alone, once without calls and once over HTTP,
// with a CPU profile of its process and the statements that its database counted. Written into docs/benchmarks/profiles.md.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drainOnce } from "./contestants/drain.ts";
import { deliver } from "./contestants/punctual-deliveries.ts";
import { withTarget } from "./contestants/target-process.ts";
import { describeMachine, machineInWords } from "./support/machine.ts";
import { type Postgres, startPostgres } from "./support/postgres.ts";
import type { Stage } from "./support/stage.ts";
import { inDigits, markdownTable } from "./support/table.ts";

interface Run {
  title: string;
  count: number;
  go(stage: Stage, count: number): Promise<unknown>;
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const RUNS: Run[] = [
  {
    title: "50,000 functions that do nothing, in process",
    count: 50_000,
    go: (stage, count) =>
      drainOnce(stage, { module: "contestants/punctual.ts", settings: { concurrency: 2_000 } }, { count }),
  },
  {
    title: "20,000 calls over HTTP",
    count: 20_000,
    go: (stage, count) => withTarget(count, (target) => deliver(stage, target, count)),
  },
];
const SHOWN = 25;
/** Only the process that settles has it. */
const MARK = "store/postgres/settle-final.js";

const postgres = await startPostgres({ shared_preload_libraries: "pg_stat_statements" });
try {
  await postgres.query("create extension pg_stat_statements");
  const sections: string[] = [];
  for (const run of RUNS) sections.push(await section(run, postgres));
  const page = `# Profiles

Where the time goes, of Punctual alone. The functions are those of the process that runs and settles (its whole life, its start included), by the time spent in
each itself; idle time is left out. The statements are those of its database while it worked. Made by \`npm run bench -- --only profiles\`.

${sections.join("\n\n")}

${machineInWords(describeMachine())}; Node ${process.versions.node}; ${postgres.description}.
`;
  writeFileSync(fileURLToPath(new URL("../docs/benchmarks/profiles.md", import.meta.url)), page);
} finally {
  await postgres.stop();
}

async function section({ title, count, go }: Run, postgres: Postgres): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "punctual-profiles-"));
  process.env.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${folder}`;
  try {
    await postgres.query("select pg_stat_statements_reset()");
    await go({ postgres, redis: null, quick: false, counting: false }, count);
    return `## ${title}\n\n${functions(folder, count)}\n\n${await statements(postgres, count)}`;
  } finally {
    delete process.env.NODE_OPTIONS;
    rmSync(folder, { recursive: true, force: true });
  }
}

function functions(folder: string, count: number): string {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const profiles = texts.filter((text) => text.includes(MARK)).map((text) => JSON.parse(text) as Profile);
  const [spent] = profiles.map(spentIn).sort((a, b) => sum(b) - sum(a));
  const rows = [...spent!]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, micros]) => [name, inDigits(micros / count), `${inDigits((micros / sum(spent!)) * 100)} %`]);
  return markdownTable(["function", "µs an execution", "share"], rows);
}

function spentIn({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  samples.forEach((id, at) => {
    const name = names.get(id)!;
    if (name !== "(idle)") spent.set(name, (spent.get(name) ?? 0) + timeDeltas[at]!);
  });
  return spent;
}

function nameOf({ functionName, url, lineNumber }: Profile["nodes"][number]["callFrame"]): string {
  const file = url.replace(/^.*\/(dist|node_modules|bench)\//, "").replace(/^node:internal\//, "node:");
  return file === "" ? functionName || "(anonymous)" : `${functionName || "(anonymous)"} \`${file}:${lineNumber + 1}\``;
}

function sum(spent: Map<string, number>): number {
  return [...spent.values()].reduce((total, micros) => total + micros, 0);
}

async function statements(postgres: Postgres, count: number): Promise<string> {
  const rows = await postgres.query<{ text: string; calls: string; ms: number; wal: string }>(
    `select regexp_replace(left(s.query, 400), '\\s+', ' ', 'g') as text, s.calls, s.total_exec_time as ms, s.wal_bytes as wal
     from pg_stat_statements s where s.query not like '%pg_stat_statements%' order by s.total_exec_time desc limit 8`,
  );
  return markdownTable(
    ["statement", "calls", "ms in all", "µs an execution", "WAL bytes an execution"],
    rows.map(({ text, calls, ms, wal }) => [
      `\`${text.replaceAll("|", "\\|").slice(0, 90)}\``,
      inDigits(Number(calls)),
      inDigits(ms),
      inDigits((ms * 1_000) / count),
      inDigits(Number(wal) / count),
    ]),
  );
}
