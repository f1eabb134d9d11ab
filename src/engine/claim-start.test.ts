import { expect, test } from "vitest";
import type { ClaimResult } from "../store/port/queue.ts";
import { ClaimStarts } from "./claim-start.ts";

const NOON = new Date("2026-01-01T12:00:00Z");
const BEGINNING = { order: "priority", from: null };
const PLACE = { runAt: NOON, id: "01900000-0000-7000-8000-000000000001" };

const answer = (said: Partial<ClaimResult>): ClaimResult => ({
  claimed: [],
  repeated: false,
  blocked: [],
  now: NOON,
  decidedAt: NOON,
  nextRunAt: null,
  oldestDue: null,
  moreIsDue: false,
  onward: null,
  ...said,
});

/** One claim after the other, the time of each and what it is answered; where each began, and whether it left a doubt. */
function claims(starts: ClaimStarts, ...said: [at: number, Partial<ClaimResult>][]) {
  return said.map(([at, result]) => {
    const start = starts.next(at);
    return { ...start, unsure: starts.after(start, at, answer(result)) };
  });
}

test("after one that left nothing the next begin a moment before it, and at the beginning once a second", () => {
  const began = claims(new ClaimStarts(), [0, {}], [10, {}], [999, {}], [1_001, {}], [1_002, {}]);
  const lately = { order: "priority", from: { runAt: new Date(NOON.getTime() - 2_000) } };
  expect(began).toMatchObject([BEGINNING, lately, lately, BEGINNING, lately]);
  expect(began.map(({ unsure }) => unsure)).toEqual([false, false, false, false, false]);
});

test("after one that left something that is due, or met something blocked, the next begins at the beginning", () => {
  for (const left of [{ moreIsDue: true }, { blocked: [{ id: "", projectId: "", jobId: "", cause: "late" as const }] }])
    expect(claims(new ClaimStarts(), [0, {}], [1, left], [2, {}])[2]).toMatchObject(BEGINNING);
});

test("after a wake-up the next begins at the beginning, also if it comes while one is under way", () => {
  const starts = new ClaimStarts();
  claims(starts, [0, {}]);
  starts.heard();
  const start = starts.next(1);
  expect(start).toMatchObject(BEGINNING);
  starts.heard();
  starts.after(start, 1, answer({}));
  expect(starts.next(2)).toMatchObject(BEGINNING);
});

test("while there is plenty they begin where the last one left off; the first that finds no more leaves a doubt, and then all is looked at", () => {
  const more = { moreIsDue: true, onward: PLACE };
  const began = claims(new ClaimStarts(), [0, more], [1, more], [2, {}], [3, {}], [4, {}]);
  const onward = { order: "priority", from: PLACE };
  expect(began.slice(0, 4)).toMatchObject([BEGINNING, onward, { ...onward, unsure: true }, BEGINNING]);
  expect(began[4]!.from!.runAt).toEqual(new Date(NOON.getTime() - 2_000));
});

const sixteen = (everyMs: number, said: Partial<ClaimResult>) =>
  Array.from({ length: 16 }, (_, nth): [number, Partial<ClaimResult>] => [nth * everyMs, said]);

const byAge = (began: ReturnType<typeof claims>) =>
  began.flatMap(({ order, from }, nth) => (order === "oldest" && from === null ? [nth + 1] : []));

test("as long as something is left every eighth goes by age, from the beginning", () => {
  expect(byAge(claims(new ClaimStarts(), ...sixteen(1, { moreIsDue: true })))).toEqual([8, 16]);
  const clean = claims(new ClaimStarts(), ...sixteen(1, {}));
  expect(clean.every(({ order }) => order === "priority")).toBe(true);
});

test("where all that is left is of one kind, one goes by age once a second", () => {
  const more = { moreIsDue: true, onward: PLACE };
  expect(byAge(claims(new ClaimStarts(), ...sixteen(10, more)))).toEqual([]);
  expect(byAge(claims(new ClaimStarts(), ...sixteen(150, more)))).toEqual([8, 15]);
});
