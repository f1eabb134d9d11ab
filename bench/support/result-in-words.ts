import type { Claim } from "./claim.ts";
import { goalsOf } from "./goals.ts";
import { type Result, spreadOf } from "./result.ts";
import { inDigits, textTable } from "./table.ts";

/** For the terminal. */
export function resultInWords(claim: Claim, result: Result): string {
  const head = [claim.title, ...claim.measures.map(({ label }) => label)];
  const rows = result.entries.map((entry) => [
    entry.name,
    ...claim.measures.map(({ key }, at) => {
      const { median, min, max } = spreadOf(entry, key);
      return at === 0 ? `${inDigits(median)} (${inDigits(min)}–${inDigits(max)})` : inDigits(median);
    }),
  ]);
  const goals = goalsOf(claim, result).map(
    ({ text, value, reached }) => `${reached ? "reached" : "NOT reached"}: ${text} (${inDigits(value)})`,
  );
  const about = `${result.size}, ${result.rounds} rounds, median (least–most)`;
  return [textTable(head, rows), about, ...goals].join("\n");
}
