import { describe, expect, test } from "vitest";
import { parseCron } from "./parse.ts";

function refusal(text: string): string | null {
  const parsed = parseCron(text);
  return parsed.ok ? null : parsed.problem.message;
}

describe("dates that never come", () => {
  test.each([
    ["0 0 30 2 *", '"0 0 30 2 *" never fires (February has no day 30)'],
    ["0 0 31 2,4 *", '"0 0 31 2,4 *" never fires (February and April have no day 31)'],
    ["0 0 31 4,JUN,9,11 ?", '"0 0 31 4,JUN,9,11 ?" never fires (April, June, September and November have no day 31)'],
    ["0 0 30,31 FEB *", '"0 0 30,31 FEB *" never fires (February has no day 30)'],
    ["0 0 31W 6 *", '"0 0 31W 6 *" never fires (June has no day 31)'],
    ["0 0 L-29 2 *", '"0 0 L-29 2 *" never fires (February never has 30 days)'],
    ["0 0 L-30 2,4 *", '"0 0 L-30 2,4 *" never fires (February and April never have 31 days)'],
  ])("%s", (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test.each([
    "0 0 29 2 *",
    "0 0 29W 2 *",
    "0 0 L-28 2 *",
    "0 0 30,15 2 *",
    "0 0 31 2-3 *",
    "0 0 31 2 MON",
    "0 0 * 2 MON#5",
    "0 0 L,30 2 *",
    "0 0 LW,31 2 *",
  ])("%s comes", (text) => {
    expect(refusal(text)).toBe(null);
  });

  test("is decided as a walk through 400 years of every day would", () => {
    const tokens = Array.from({ length: 31 }, (_, index) => [`${index + 1}`, `${index + 1}W`, `L-${index}`]).flat();
    for (let month = 1; month <= 12; month++) {
      for (const token of [...tokens, "L", "LW"]) {
        const comes = walk(month, token);
        expect([token, month, refusal(`0 0 ${token} ${month} *`) === null]).toEqual([token, month, comes]);
      }
      for (let weekday = 0; weekday < 7; weekday++) expect(fifthComes(month, weekday)).toBe(true);
    }
  });
});

const YEARS = Array.from({ length: 400 }, (_, index) => 2000 + index);

function lengthOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Day n and nW need the day n, L-n a day that many before the last. */
function walk(month: number, token: string): boolean {
  if (token === "L" || token === "LW") return true;
  const needed = token.startsWith("L-") ? Number(token.slice(2)) + 1 : Number.parseInt(token, 10);
  return YEARS.some((year) => lengthOf(year, month) >= needed);
}

function fifthComes(month: number, weekday: number): boolean {
  return YEARS.some((year) =>
    [29, 30, 31].some(
      (day) => day <= lengthOf(year, month) && new Date(Date.UTC(year, month - 1, day)).getUTCDay() === weekday,
    ),
  );
}
