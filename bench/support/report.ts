// docs/benchmarks/README.md and the plots, from whatever results are there: claims may be measured one by one.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim, Entry } from "./claim.ts";
import { goalsOf } from "./goals.ts";
import { machineInWords } from "./machine.ts";
import { type MeasuredEntry, type Result, spreadOf } from "./result.ts";
import { barChart } from "./svg-bars.ts";
import { inDigits, markdownTable } from "./table.ts";

const KIND_ORDER: readonly Entry["kind"][] = ["ours", "peer", "pushed", "limit"];

interface Measured {
  claim: Claim;
  result: Result;
}

export function writeReport(folder: string, claims: readonly Claim[]): void {
  const measured = claims.flatMap((claim): Measured[] => {
    const file = join(folder, `${claim.name}.json`);
    return existsSync(file) ? [{ claim, result: JSON.parse(readFileSync(file, "utf8")) as Result }] : [];
  });
  for (const { claim, result } of measured) writePlots(folder, claim, result);
  const parts = [head(measured), summary(measured), ...measured.map(section), versions(measured), method()];
  writeFileSync(join(folder, "README.md"), `${parts.join("\n\n")}\n`);
}

function writePlots(folder: string, claim: Claim, result: Result): void {
  for (const { measure: key, title, logarithmic = false } of claim.plots) {
    const { label, better } = claim.measures.find((measure) => measure.key === key)!;
    const bars = inOrder(result.entries)
      .map((entry) => ({ entry, ...spreadOf(entry, key) }))
      .filter(({ median }) => !Number.isNaN(median))
      .map(({ entry, median, min, max }) => ({
        label: entry.name,
        value: median,
        min,
        max,
        ours: entry.kind === "ours",
      }));
    const subtitle = `${label}, ${better} is better${logarithmic ? ", logarithmic" : ""}`;
    writeFileSync(join(folder, plotFile(claim, key)), barChart({ title, subtitle, bars, logarithmic }));
  }
}

function plotFile(claim: Claim, measure: string): string {
  return `${claim.name}-${measure.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.svg`;
}

/** Ours first, what nobody can pass last. */
function inOrder(entries: readonly MeasuredEntry[]): MeasuredEntry[] {
  return entries.toSorted((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind));
}

function head(measured: readonly Measured[]): string {
  const rounds = Math.min(...measured.map(({ result }) => result.rounds));
  return `# Benchmarks

Punctual and its peers, side by side: the same work on the same machine, in the same run. Numbers are medians of ${rounds} rounds or more, with the least and
the most of them. Raw numbers are in the JSON files beside this page, which is made from them by \`npm run bench\`.

- **How much, how fast, how late**: this page.
- What happens as jobs, nodes and history grow: [growth](growth.md).
- Where the time goes: [profiles](profiles.md).
- What follows from it: [capacity](../capacity.md).`;
}

function summary(measured: readonly Measured[]): string {
  const rows = measured.flatMap(({ claim, result }) =>
    goalsOf(claim, result).map(({ text, value, reached }) => [
      `[${claim.title}](#${anchor(claim.title)})`,
      text,
      inDigits(value),
      reached ? "reached" : "**not reached**",
    ]),
  );
  return `## Goals\n\n${markdownTable(["claim", "goal", "measured", ""], rows, 2)}`;
}

function section({ claim, result }: Measured): string {
  const counted = result.entries.some(({ statementsPerExecution }) => statementsPerExecution !== undefined);
  const headings = ["", ...claim.measures.map(({ label }) => label), ...(counted ? ["statements"] : [])];
  const rows = inOrder(result.entries).map((entry) => [
    entry.kind === "ours" ? `**${entry.name}**` : entry.name,
    ...claim.measures.map(({ key }, at) => cell(entry, key, at === 0)),
    ...(counted ? [inDigits(entry.statementsPerExecution ?? Number.NaN)] : []),
  ]);
  const goals = goalsOf(claim, result).map(
    ({ text, value, reached }) =>
      `- Goal: ${text}. Measured: ${inDigits(value)}; ${reached ? "reached" : "**not reached**"}.`,
  );
  const settings = inOrder(result.entries).map(({ name, settings }) => `- ${name}: ${settings}.`);
  const leftOut = result.leftOut.map(({ name, why }) => `- ${name} was left out: ${why}.`);
  return [
    `## ${claim.title}`,
    claim.about,
    ...claim.plots.map(({ measure, title }) => `![${title}](${plotFile(claim, measure)})`),
    `${result.size}, ${result.rounds} rounds, ${result.measuredAt.slice(0, 10)}. Median (least–most).`,
    markdownTable(headings, rows),
    ...(goals.length > 0 ? [goals.join("\n")] : []),
    `Settings:\n\n${[...settings, ...leftOut].join("\n")}`,
  ].join("\n\n");
}

function cell(entry: MeasuredEntry, key: string, withSpread: boolean): string {
  const { median, min, max } = spreadOf(entry, key);
  if (Number.isNaN(median)) return "";
  return withSpread ? `${inDigits(median)} (${inDigits(min)}–${inDigits(max)})` : inDigits(median);
}

function versions(measured: readonly Measured[]): string {
  const machines = [...new Set(measured.map(({ result }) => machineInWords(result.machine)))];
  const all = Object.assign({}, ...measured.map(({ result }) => result.versions)) as Record<string, string>;
  const named = Object.entries(all).map(([name, version]) => `${name} ${version}`);
  return `## Machine and versions

${machines.map((machine) => `- ${machine}`).join("\n")}
- ${named.join("; ")}`;
}

function method(): string {
  return readFileSync(new URL("../method.md", import.meta.url), "utf8").trim();
}

/** As a renderer of Markdown makes it from a heading. */
function anchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
