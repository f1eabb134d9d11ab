import type { ClaimResult, Place } from "../store/port/queue.ts";

/** What came of claims that were made at once from the same place on, as of one. */
export function together(results: ClaimResult[]): ClaimResult {
  const [first, ...others] = results;
  if (others.length === 0) return first!;
  // To each what the others were taking looked as if it was left: whoever saw nothing left is right.
  const moreIsDue = results.every((result) => result.moreIsDue);
  return {
    claimed: results.flatMap(({ claimed }) => claimed),
    repeated: results.some(({ repeated }) => repeated),
    blocked: results.flatMap(({ blocked }) => blocked),
    now: latest(results.map(({ now }) => now)),
    decidedAt: earliest(results.map(({ decidedAt }) => decidedAt))!,
    nextRunAt: earliest(results.map(({ nextRunAt }) => nextRunAt)),
    oldestDue: moreIsDue ? earliest(results.map(({ oldestDue }) => oldestDue)) : null,
    moreIsDue,
    onward: results.map(({ onward }) => onward).reduce(further),
  };
}

/** Between them they took all before the furthest of them; unless one of them does not know. */
function further(one: Place | null, other: Place | null): Place | null {
  if (one === null || other === null) return null;
  const ms = one.runAt.getTime() - other.runAt.getTime();
  return ms < 0 || (ms === 0 && one.id < other.id) ? other : one;
}

function earliest(moments: (Date | null)[]): Date | null {
  return moments.reduce((one, other) => (one === null || (other !== null && other < one) ? other : one));
}

function latest(moments: Date[]): Date {
  return moments.reduce((one, other) => (other > one ? other : one));
}
