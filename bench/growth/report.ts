// docs/benchmarks/growth.md and its plots, from whatever results are there: questions may be measured one by one.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineInWords } from "../support/machine.ts";
import { lineChart } from "../support/svg-lines.ts";
import { inDigits, markdownTable } from "../support/table.ts";
import type { Growth, GrowthResult, Section } from "./growth.ts";

export function writeGrowthReport(folder: string, growths: readonly Growth[]): void {
  const measured = growths.flatMap((growth) => {
    const file = join(folder, `${growth.name}.json`);
    return existsSync(file) ? [{ growth, result: JSON.parse(readFileSync(file, "utf8")) as GrowthResult }] : [];
  });
  if (measured.length === 0) return;
  const parts = [HEAD, ...measured.map(({ growth, result }) => chapter(folder, growth, result)), versions(measured)];
  writeFileSync(join(folder, "growth.md"), `${parts.join("\n\n")}\n`);
}

const HEAD = `# What happens as things grow

The same measurement at sizes ten times apart: jobs, nodes, waiting work, history, and a long time. What is meant to stay the same should be a
flat line. Everything runs on one machine, PostgreSQL with the settings that \`initdb\` gives it and durable commits. Raw numbers are in the JSON files beside this
page, which is made from them by \`npm run bench -- --only growth-jobs\` (\`growth-nodes\`, \`growth-queue\`, \`growth-history\`, \`growth-churn\`).`;

function chapter(folder: string, growth: Growth, result: GrowthResult): string {
  const sections = result.sections.map((section, at) => sectionOf(folder, growth, section, at));
  return [`## ${growth.title}`, growth.about, ...sections, `Measured ${result.measuredAt.slice(0, 10)}.`].join("\n\n");
}

function sectionOf(folder: string, growth: Growth, { title, columns, rows, plots, note }: Section, at: number): string {
  const pictures = plots.map((plot, nth) => {
    const file = `${growth.name}-${at + 1}${"abcdefgh"[nth]}.svg`;
    writeFileSync(join(folder, file), lineChart(plot));
    return `![${plot.title}](${file})`;
  });
  const cells = rows.map((row) => row.map((value) => (typeof value === "number" ? inDigits(value) : value)));
  return [`### ${title}`, ...pictures, markdownTable(columns, cells), ...(note === undefined ? [] : [note])].join(
    "\n\n",
  );
}

function versions(measured: readonly { result: GrowthResult }[]): string {
  const machines = [...new Set(measured.map(({ result }) => machineInWords(result.machine)))];
  const all = Object.assign({}, ...measured.map(({ result }) => result.versions)) as Record<string, string>;
  return [
    "## Machine and versions",
    [
      ...machines,
      Object.entries(all)
        .map(([name, version]) => `${name} ${version}`)
        .join("; "),
    ]
      .map((line) => `- ${line}`)
      .join("\n"),
  ].join("\n\n");
}
