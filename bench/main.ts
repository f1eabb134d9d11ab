// Measures the claims, prints what came out, and writes it into docs/benchmarks/. Started by run.mjs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CLAIMS } from "./claims.ts";
import { measureClaim } from "./support/measure.ts";
import { startPostgres } from "./support/postgres.ts";
import { startRedis } from "./support/redis.ts";
import { writeReport } from "./support/report.ts";
import type { Result } from "./support/result.ts";
import { resultInWords } from "./support/result-in-words.ts";
import type { Stage } from "./support/stage.ts";

const PEERS = [
  "graphile-worker",
  "pg-boss",
  "bullmq",
  "agenda",
  "@agendajs/postgres-backend",
  "ioredis",
  "pg",
  "undici",
];
const ROUNDS = 5;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    out: { type: "string" },
    report: { type: "boolean", default: false },
  },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 1 : ROUNDS));
const chosen = values.only === undefined ? CLAIMS : values.only.split(",").map(claimNamed);
// A smoke test is no result.
const out = values.out ?? (quick ? null : fileURLToPath(new URL("../docs/benchmarks/", import.meta.url)));

// Servers and folders go when this process exits; a signal alone would not let it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

if (!values.report) await measure();
if (out !== null) writeReport(out, CLAIMS);

async function measure(): Promise<void> {
  if (out !== null) mkdirSync(out, { recursive: true });
  const postgres = await startPostgres();
  const redis = await startRedis();
  if (redis === null) console.log("There is no redis-server on this machine: BullMQ on Redis is left out.");
  const stage: Stage = { postgres, redis, quick, counting: false };
  const versions = {
    Punctual: versionOf("../package.json"),
    Node: process.versions.node,
    PostgreSQL: postgres.description.replace(/^PostgreSQL /, ""),
    ...(redis === null ? {} : { Redis: redis.description.replace(/^Redis /, "") }),
    ...Object.fromEntries(PEERS.map((name) => [name, versionOf(`./node_modules/${name}/package.json`)])),
  };
  try {
    for (const claim of chosen) {
      const result: Result = await measureClaim(claim, stage, { rounds, versions, progress: tell });
      if (out !== null) writeFileSync(`${out}/${claim.name}.json`, `${JSON.stringify(result, null, 1)}\n`);
      console.log(`\n${resultInWords(claim, result)}\n`);
    }
  } finally {
    await redis?.stop();
    await postgres.stop();
  }
}

function claimNamed(name: string) {
  const claim = CLAIMS.find((candidate) => candidate.name === name);
  if (claim !== undefined) return claim;
  throw new Error(`--only ${name}: there is ${CLAIMS.map((each) => each.name).join(", ")}`);
}

function versionOf(path: string): string {
  return (JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { version: string }).version;
}

function tell(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
