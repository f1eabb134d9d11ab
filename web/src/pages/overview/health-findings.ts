// What is wrong at the moment, in sentences. The thresholds are those at which somebody should look, not those at which a graph
// would begin to move: a health line that cries at every retry is soon read by nobody.

import type { DetailedHealth, HandlerView, Stats } from "punctual/client";
import { CLOCK_MS, LAG_MS } from "../../api/health-limits.ts";
import { counted, numberText } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";

/** Where to look at it. */
export type Place = "workers" | "dead-letters" | "failed" | "scheduled" | "executions";

export interface Finding {
  tone: "bad" | "warn";
  text: string;
  place: Place | null;
}

/** What could be read of the present; what is missing could not, and is told of in `unread`. */
export interface Known {
  health: DetailedHealth | undefined;
  /** Of the last quarter of an hour. */
  stats: Stats | undefined;
  handlers: readonly HandlerView[] | undefined;
  unread: readonly { what: string; why: string }[];
}

/** How far back the line looks for runs that failed or were late. */
export const RECENT = "15m";

const ERROR_SHARE = { warn: 0.05, bad: 0.25 };
const LATE_SHARE = 0.01;

/** The worst first. */
export function findingsOf(known: Known): Finding[] {
  const found = [
    ...ofUnread(known),
    ...(known.health ? ofHealth(known.health) : []),
    ...(known.handlers ?? []).flatMap(ofHandler),
    ...(known.stats ? ofStats(known.stats) : []),
  ];
  return found.toSorted((a, b) => Number(a.tone === "warn") - Number(b.tone === "warn"));
}

/** Once for each reason: a server that does not answer is one thing that is wrong, not three. */
function ofUnread({ unread, health, stats, handlers }: Known): Finding[] {
  const hasOlder = [health, stats, handlers].some((each) => each !== undefined);
  return [...new Set(unread.map(({ why }) => why))].map((why) => {
    const ofReason = unread.filter((each) => each.why === why);
    const what = new Intl.ListFormat("en-GB").format(ofReason.map((each) => each.what));
    return bad(`Not read: ${what}. ${why}${hasOlder ? " What is said of it here is from before." : ""}`, null);
  });
}

/** What can be said when nothing was found. */
export function wellText({ health, stats }: Known): string {
  const alive = health?.nodes?.alive;
  const nodes = alive === undefined ? "" : `${countedAre(alive, "node")} alive, `;
  return `All is well: ${nodes}nothing is overdue, and ${stats === undefined ? "nothing failed" : ranText(stats)}.`;
}

function ranText({ totals }: Stats): string {
  const ran = ranOf(totals);
  const succeeded = totals.succeeded ?? 0;
  if (ran === 0) return "nothing had to run in the last 15 minutes";
  const runs = counted(ran, "execution");
  if (succeeded === ran) return `${ran === 1 ? "the one execution" : `all ${runs}`} of the last 15 minutes succeeded`;
  return `${numberText(succeeded)} of ${runs} of the last 15 minutes succeeded`;
}

function ofHealth({ database, nodes, queue, clock }: DetailedHealth): Finding[] {
  if (!database.reachable)
    return [bad("The database cannot be reached: nothing is planned or started until it answers.", "workers")];
  if (nodes === null || queue === null)
    return [bad("The database answers too slowly to say what waits and which nodes are alive.", "workers")];
  const found: Finding[] = [];
  if (nodes.alive === 0) found.push(bad("No node is alive: nothing is planned or started.", "workers"));
  if (nodes.lost > 0)
    found.push(
      warn(`${countedAre(nodes.lost, "node")} lost: what was running there is taken up elsewhere.`, "workers"),
    );
  if (queue.lagMs >= LAG_MS.warn)
    found.push({
      tone: queue.lagMs >= LAG_MS.bad ? "bad" : "warn",
      text: `${countedAre(queue.due, "execution")} due and not started; the oldest has waited ${durationText(queue.lagMs)}.`,
      place: "scheduled",
    });
  if (clock !== null && Math.abs(clock.offsetMs) >= CLOCK_MS)
    found.push(warn(`The node’s clock and the database’s differ by ${durationText(clock.offsetMs)}.`, "workers"));
  return found;
}

function ofHandler({ name, status, waiting, jobs }: HandlerView): Finding[] {
  if (status !== "unserved" && status !== "unknown") return [];
  const nobody = status === "unknown" ? "No worker ever served" : "No worker serves";
  if (waiting > 0)
    return [bad(`${nobody} the handler ${name}: ${countedAre(waiting, "execution")} waiting.`, "workers")];
  return [warn(`${nobody} the handler ${name}, which ${counted(jobs, "job")} will call.`, "workers")];
}

function ofStats({ totals, errorRate, lateAfterMs, deadLetters }: Stats): Finding[] {
  const found: Finding[] = [];
  const share = errorRate["15m"];
  if (share >= ERROR_SHARE.warn)
    found.push({
      tone: share >= ERROR_SHARE.bad ? "bad" : "warn",
      text: `${percentText(share)} of the executions of the last 15 minutes failed.`,
      place: "failed",
    });
  const [late, ran] = [totals.late ?? 0, ranOf(totals)];
  if (ran > 0 && late / ran >= LATE_SHARE)
    found.push(
      warn(
        `${numberText(late)} of ${counted(ran, "run")} of the last 15 minutes started late, by ${durationText(lateAfterMs)} or more.`,
        "executions",
      ),
    );
  if (deadLetters > 0) found.push(warn(`${countedAre(deadLetters, "dead letter")} open.`, "dead-letters"));
  return found;
}

/** Executions that came to an end; what was skipped never began. */
export function ranOf(totals: Stats["totals"]): number {
  return ["succeeded", "failed", "cancelled", "unknown"].reduce((sum, state) => sum + (totals[state] ?? 0), 0);
}

/** 37.5%; what is nearly all or nearly nothing is not called all or nothing. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1%";
  if (percent < 100 && percent > 99.9) return "> 99.9%";
  return `${Math.round(percent * 10) / 10}%`;
}

function countedAre(count: number, noun: string): string {
  return `${counted(count, noun)} ${count === 1 ? "is" : "are"}`;
}

function bad(text: string, place: Place | null): Finding {
  return { tone: "bad", text, place };
}

function warn(text: string, place: Place | null): Finding {
  return { tone: "warn", text, place };
}
