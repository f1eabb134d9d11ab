/*
 * How fast the cron engine is: next instants in UTC and in a zone with clock changes, parsing, counting, and the memory
 * that a parsed expression takes, side by side with croner in the same run. Prints a Markdown table.
 *
 *   npm run bench:cron
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Cron } from "croner";
import { Occurrences } from "../src/core/cron/occurrences.ts";
import { parseCron } from "../src/core/cron/parse.ts";
import { zoneNamed } from "../src/core/cron/zone.ts";

const EXPRESSIONS = [
  "*/5 * * * *",
  "0 2 * * *",
  "30 9 * * MON-FRI",
  "*/10 * * * * *",
  "0 0 1 * *",
  "0 12 L * *",
  "15 10 * * FRI#2",
  "0,30 8-18 * * *",
];
const ZONE = "America/New_York";
const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2036, 0, 1);
const ROUND_MS = 500;
const ROUNDS = 3;

/** Calls a second, the best of a few rounds: what disturbs a measurement only ever makes it slower. */
function rate(call: (index: number) => void): number {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let calls = 0;
    const start = performance.now();
    let elapsed = 0;
    while (elapsed < ROUND_MS) {
      for (let index = 0; index < 64; index++) call(calls + index);
      calls += 64;
      elapsed = performance.now() - start;
    }
    best = Math.max(best, (calls / elapsed) * 1_000);
  }
  return best;
}

function compile(text: string, zone: string): Occurrences {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return new Occurrences(parsed.expression, zoneNamed(zone)!, { gap: "shift", fold: "first" });
}

/** Walks through ten years with every expression in turn. */
function walking(zone: string): (index: number) => void {
  const tables = EXPRESSIONS.map((text) => compile(text, zone));
  const at = EXPRESSIONS.map(() => FROM);
  return (index) => {
    const which = index % tables.length;
    const next = tables[which]!.next(at[which]!);
    at[which] = next === null || next > UNTIL ? FROM : next;
  };
}

function cronerWalking(zone: string): (index: number) => void {
  const jobs = EXPRESSIONS.map((text) => new Cron(text, { timezone: zone }));
  const at = EXPRESSIONS.map(() => new Date(FROM));
  return (index) => {
    const which = index % jobs.length;
    const next = jobs[which]!.nextRun(at[which]!);
    at[which] = next === null || next.getTime() > UNTIL ? new Date(FROM) : next;
  };
}

function bytesEach(count: number, make: (text: string) => unknown): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept: unknown[] = new Array(count).fill(null);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < count; index++) kept[index] = make(EXPRESSIONS[index % EXPRESSIONS.length]!);
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  if (kept.length !== count) throw new Error("kept too little");
  return bytes;
}

function row(what: string, ours: number, theirs: number | null, moreIsBetter = true): void {
  const number = (value: number) => Math.round(value).toLocaleString("en-US");
  const ratio = theirs === null ? "" : `${number(moreIsBetter ? ours / theirs : theirs / ours)} ×`;
  console.log(`| ${what} | ${number(ours)} | ${theirs === null ? "" : number(theirs)} | ${ratio} |`);
}

console.log(`Node ${process.version}, ${process.arch}, tz ${process.versions.tz}, ${EXPRESSIONS.length} expressions\n`);
console.log("| | Punctual | croner | ratio |");
console.log("|---|---:|---:|---:|");
row("next instants a second, UTC", rate(walking("UTC")), rate(cronerWalking("UTC")));
row(`next instants a second, ${ZONE}`, rate(walking(ZONE)), rate(cronerWalking(ZONE)));
row(
  "expressions parsed a second",
  rate((index) => parseCron(EXPRESSIONS[index % EXPRESSIONS.length]!)),
  rate((index) => new Cron(EXPRESSIONS[index % EXPRESSIONS.length]!)),
);
row(
  "garbage refused a second",
  rate((index) => parseCron(`${index % 100} ${index % 60} * * MON-`)),
  null,
);
const seconds = compile("* * * * * *", ZONE);
row(
  `years of seconds counted a second, ${ZONE}`,
  rate((index) => seconds.count(FROM + index * 1_000, FROM + index * 1_000 + 365 * 86_400_000)),
  null,
);
row(
  "bytes for an expression",
  bytesEach(50_000, (text) => {
    const parsed = parseCron(text);
    return parsed.ok ? parsed.expression : null;
  }),
  bytesEach(500, (text) => {
    const job = new Cron(text, { timezone: ZONE });
    job.nextRun(new Date(FROM));
    return job;
  }),
  false,
);
