// npm run bench -- --only growth-jobs[,growth-nodes,…] [--quick] [--out folder]: measures, prints, and writes docs/benchmarks/growth*.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeMachine } from "../support/machine.ts";
import { startPostgres } from "../support/postgres.ts";
import { inDigits, textTable } from "../support/table.ts";
import type { GrowthResult } from "./growth.ts";
import { GROWTHS } from "./growths.ts";
import { writeGrowthReport } from "./report.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: GROWTHS.map(({ name }) => name).join(",") },
    quick: { type: "boolean", default: false },
    out: { type: "string" },
    report: { type: "boolean", default: false },
  },
});
const { quick } = values;
// A smoke test is no result.
const out = values.out ?? (quick ? null : fileURLToPath(new URL("../../docs/benchmarks/", import.meta.url)));

if (!values.report) await measure(values.only.split(",").map(growthNamed));
if (out !== null) writeGrowthReport(out, GROWTHS);

async function measure(chosen: readonly (typeof GROWTHS)[number][]): Promise<void> {
  if (out !== null) mkdirSync(out, { recursive: true });
  for (const growth of chosen) {
    const postgres = await startPostgres();
    try {
      const sections = await growth.measure({ postgres, redis: null, quick, counting: false }, tell);
      const result: GrowthResult = {
        growth: growth.name,
        measuredAt: new Date().toISOString(),
        machine: describeMachine(),
        versions: {
          Punctual: productVersion(),
          Node: process.versions.node,
          PostgreSQL: postgres.description.replace(/^PostgreSQL /, ""),
        },
        quick,
        sections,
      };
      if (out !== null) writeFileSync(`${out}/${growth.name}.json`, `${JSON.stringify(result, null, 1)}\n`);
      for (const { title, columns, rows } of sections)
        console.log(
          `\n${title}\n\n${textTable(
            columns,
            rows.map((row) => row.map(cell)),
          )}`,
        );
    } finally {
      await postgres.stop();
    }
  }
}

function cell(value: string | number): string {
  return typeof value === "number" ? inDigits(value) : value;
}

function growthNamed(name: string): (typeof GROWTHS)[number] {
  const growth = GROWTHS.find((candidate) => candidate.name === name);
  if (growth !== undefined) return growth;
  throw new Error(`--only ${name}: there is ${GROWTHS.map((each) => each.name).join(", ")}`);
}

function productVersion(): string {
  return (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
    .version;
}

function tell(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
