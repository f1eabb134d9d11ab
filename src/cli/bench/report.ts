import { facts } from "../output/facts.ts";
import type { Output } from "../output/output.ts";
import type { BenchDatabase } from "./bench-database.ts";
import type { Lateness } from "./lateness.ts";
import type { Machine } from "./machine.ts";
import type { Throughput } from "./throughput.ts";

export interface BenchReport {
  machine: Machine;
  database: BenchDatabase["server"];
  seconds: number;
  functions: Throughput;
  lateness: Lateness;
  deliveries: Throughput;
}

interface Line {
  what: string;
  result: string;
  of: string;
}

export function reportInWords({ machine, database, ...measured }: BenchReport, out: Output): string {
  const { functions, lateness, deliveries } = measured;
  const lines: Line[] = [
    { what: "functions in this process", ...throughputInWords(functions) },
    {
      what: `lateness at ${lateness.rate} fires/s`,
      result: `p50 ${lateness.p50Ms} ms, p99 ${lateness.p99Ms} ms`,
      of: `${whole(lateness.fires)} fires, at most ${lateness.maxMs} ms`,
    },
    { what: "HTTP calls on this machine", ...throughputInWords(deliveries) },
  ];
  const place = database.embedded ? "embedded" : "yours";
  const about = facts(
    [
      ["Machine", `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.system}`],
      ["Node", machine.node],
      [
        "PostgreSQL",
        `${database.version} (${place}), fsync ${database.fsync}, synchronous_commit ${database.synchronousCommit}`,
      ],
    ],
    out,
  );
  const results = out.table(lines, [
    { title: "MEASURED", of: ({ what }) => what },
    { title: "RESULT", of: ({ result }) => result },
    { title: "OF", of: ({ of }) => of, rank: 1 },
  ]);
  return `${about}\n${results}`;
}

function throughputInWords({ executions, elapsedMs, perSecond }: Throughput): { result: string; of: string } {
  return { result: `${whole(perSecond)} /s`, of: `${whole(executions)} in ${(elapsedMs / 1_000).toFixed(1)} s` };
}

function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}
