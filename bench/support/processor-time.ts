// Seconds of processor time, from /proc. Where there is none, nothing is known: null.

import { readFileSync } from "node:fs";

/** The unit of /proc/<pid>/stat; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** A process with all it started: those that live, and those that have ended. */
export function processorSeconds(pid: number | null): number | null {
  if (pid === null) return null;
  try {
    return treeTicks(pid) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

function treeTicks(pid: number): number {
  let sum = ticks(pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  for (const child of children === "" ? [] : children.split(" "))
    try {
      sum += treeTicks(Number(child));
    } catch {
      // It ended meanwhile; from now on its parent's numbers have it.
    }
  return sum;
}

/** User and system time, its own and that of ended children. */
function ticks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name, which may have spaces and parentheses in it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
}
