// `punctual bench`: a quick look at what this machine can do, not a proof of anything. Everything runs on the one machine (load,
// target and scheduler share its cores), each measurement ends after the given time, and all that was made is removed, also
// after Ctrl-C.

import { withoutPassword } from "../../contract/setting-values.ts";
import { ExpectedError, explain } from "../expected-error.ts";
import type { Output } from "../output/output.ts";
import type { Session } from "../session.ts";
import { awaitStopSignal } from "../stop-signal.ts";
import { type BenchDatabase, openBenchDatabase } from "./bench-database.ts";
import { BenchNodes } from "./bench-nodes.ts";
import { measureDeliveries } from "./deliveries.ts";
import { measureFunctions } from "./functions.ts";
import { measureLateness } from "./lateness.ts";
import { LocalTarget } from "./local-target.ts";
import { describeMachine } from "./machine.ts";
import { type BenchReport, reportInWords } from "./report.ts";

export interface BenchFlags {
  seconds: number;
  rate: number;
  database?: string;
}

const INTERRUPTED = 130;

export async function bench({ out }: Session, flags: BenchFlags): Promise<number> {
  const abort = new AbortController();
  const signal = awaitStopSignal(() => process.exit(INTERRUPTED));
  void signal.received.then(() => abort.abort());
  try {
    const report = await run(out, flags, abort.signal);
    out.show(report, () => reportInWords(report, out));
    return 0;
  } catch (error) {
    if (abort.signal.aborted) {
      out.note("Stopped. What it made is removed.");
      return INTERRUPTED;
    }
    const where = { host: "127.0.0.1", port: 0, databaseUrl: flags.database ?? null };
    const sentence = explain(error, where);
    throw sentence === null ? error : new ExpectedError(sentence, { cause: error });
  } finally {
    signal.ignore();
    out.endProgress();
  }
}

async function run(out: Output, flags: BenchFlags, signal: AbortSignal): Promise<BenchReport> {
  if (flags.database !== undefined)
    out.note(
      `This writes jobs to ${withoutPassword(flags.database)}, in a schema "punctual" that is removed at the end.`,
    );
  out.progress("Starting a database…");
  const database = await openBenchDatabase(flags.database);
  try {
    signal.throwIfAborted();
    return await measure(out, flags, database, signal);
  } finally {
    out.progress("Removing what was made…");
    await database.remove();
  }
}

async function measure(
  out: Output,
  { seconds, rate }: BenchFlags,
  database: BenchDatabase,
  signal: AbortSignal,
): Promise<BenchReport> {
  const target = await LocalTarget.start();
  const nodes = new BenchNodes(database.url);
  const stage = { database, target, nodes, seconds, signal, progress: (text: string) => out.progress(text) };
  try {
    await nodes.startKeeper();
    const functions = await measureFunctions(stage);
    const lateness = await measureLateness(stage, { rate });
    const deliveries = await measureDeliveries(stage);
    const machine = describeMachine();
    return { machine, database: database.server, seconds, functions, lateness, deliveries };
  } finally {
    await nodes.stop();
    await target.stop();
  }
}
