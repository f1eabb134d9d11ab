import type { Claim } from "./claim.ts";
import { type Result, readingOf } from "./result.ts";

export interface GoalMet {
  text: string;
  value: number;
  reached: boolean;
}

export function goalsOf(claim: Claim, result: Result): GoalMet[] {
  const reading = readingOf(result, claim);
  return claim.goals.map(({ text, value, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }) => {
    const seen = value(reading);
    return { text, value: seen, reached: seen >= atLeast && seen <= atMost };
  });
}
