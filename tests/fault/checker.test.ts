// The checker is only worth something if it sees what is wrong. Each test takes the records of a day on which all went well
// and changes what a broken engine would have left behind.
import { expect, test } from "vitest";
import { brokenPromises, check, type Evidence, type LedgerRow, type WatchedJob } from "../support/checker.ts";
import type { Call } from "../support/target-server.ts";

const NOON = Date.parse("2026-03-01T12:00:00.000Z");
const EVERY: WatchedJob = {
  id: "every",
  name: "every",
  schedule: { everyMs: 1_500 },
  createdAt: NOON + 123,
  ended: { after: NOON + 20_000, before: NOON + 20_100 },
};
const CRON: WatchedJob = { ...EVERY, id: "cron", name: "cron", schedule: { cronSeconds: 2 }, createdAt: NOON };

/** Twelve fires of one, nine of the other, each called once, a few milliseconds late. */
function goodDay(): Evidence {
  const every = Array.from({ length: 13 }, (_, n) => run(EVERY, NOON + 123 + 1_500 * (n + 1)));
  const cron = Array.from({ length: 10 }, (_, n) => run(CRON, NOON + 2_000 * (n + 1)));
  const ledger = [...every, ...cron];
  return { jobs: [EVERY, CRON], triggered: [], ledger, calls: ledger.map((row) => call(row)), faultAt: null };
}

function run(job: WatchedJob, scheduledAt: number): LedgerRow {
  return {
    id: `${job.id}-${scheduledAt - NOON}`,
    jobId: job.id,
    trigger: "schedule",
    state: "succeeded",
    reason: null,
    scheduledAt,
    scheduledUntil: null,
    count: 1,
    attempt: 1,
    attempts: [{ number: 1, outcome: "succeeded", startedAt: iso(scheduledAt + 2) }],
  };
}

function call(row: LedgerRow, more: Partial<Call> = {}): Call {
  const { id, jobId: job, scheduledAt } = row;
  const times = { in: scheduledAt + 5, out: scheduledAt + 9 };
  return { id, job, attempt: 1, scheduledAt: iso(scheduledAt), ...times, status: 200, body: "", ...more };
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

/** What a lost first attempt and its repetition leave behind. */
function repeated(row: LedgerRow): LedgerRow {
  const lost = { number: 1, outcome: "lost", startedAt: iso(row.scheduledAt + 2) };
  const second = { number: 2, outcome: "succeeded", startedAt: iso(row.scheduledAt + 5_000) };
  return { ...row, attempt: 2, attempts: [lost, second] };
}

function broken(change: (day: Evidence, row: LedgerRow) => void): string[] {
  const day = goodDay();
  change(day, day.ledger[5]!);
  return brokenPromises(check(day));
}

test("a day on which all went well is called sound and measured", () => {
  const report = check(goodDay());
  expect(brokenPromises(report)).toEqual([]);
  expect(report).toMatchObject({
    due: 23,
    executed: 23,
    skipped: {},
    calls: 23,
    latenessMs: { p50: 5, p99: 5, max: 5 },
  });
});

test("a skipped stretch accounts for all of its instants", () => {
  const day = goodDay();
  const [first, , last] = day.ledger.splice(3, 3);
  day.calls.splice(3, 3);
  const stretch = { state: "skipped", reason: "misfire", scheduledUntil: last!.scheduledAt, count: 3 };
  day.ledger.push({ ...first!, ...stretch, attempt: 0, attempts: [] });
  const report = check(day);
  expect(brokenPromises(report)).toEqual([]);
  expect(report).toMatchObject({ due: 23, executed: 20, skipped: { misfire: 3 } });
});

test("a call that is repeated after its node was lost is counted and explained", () => {
  const day = goodDay();
  const row = repeated(day.ledger[5]!);
  day.ledger[5] = row;
  day.calls.push(call(row, { attempt: 2, in: row.scheduledAt + 5_001, out: row.scheduledAt + 5_002 }));
  const report = check({ ...day, faultAt: row.scheduledAt });
  expect(brokenPromises(report)).toEqual([]);
  expect(report).toMatchObject({ extraCalls: { explained: 1 }, healMs: 5_001 });
});

test("an instant without a row is lost", () => {
  expect(broken((day) => day.ledger.splice(5, 1))).toContainEqual("lost: every at 2026-03-01T12:00:09.123Z");
});

test("an instant just before the end is due, one just after the request that ended the job is not", () => {
  expect(broken((day) => day.ledger.splice(12, 1))).toContainEqual("lost: every at 2026-03-01T12:00:19.623Z");
  expect(broken((day) => day.ledger.splice(22, 1)).filter((one) => one.startsWith("lost"))).toEqual([]);
});

test("two rows for one instant are a duplicate, also when one of them is a stretch", () => {
  const twin = broken((day, row) => {
    day.ledger.push({ ...row, id: "twin" });
    day.calls.push(call({ ...row, id: "twin" }));
  });
  expect(twin).toEqual([expect.stringMatching(/^duplicated: every at .*twin/)]);
  const skipped = { state: "skipped", reason: "overlap", attempt: 0, attempts: [] };
  expect(broken((day, row) => day.ledger.push({ ...row, ...skipped, id: "stretch" }))).toHaveLength(1);
});

test("a row for an instant that never was, or a stretch that counts wrongly, is seen", () => {
  expect(
    broken((day, row) => day.ledger.push({ ...row, id: "odd", scheduledAt: row.scheduledAt + 1, attempts: [] })),
  ).toContainEqual(expect.stringMatching(/^never due: every/));
  expect(broken((_, row) => Object.assign(row, { state: "skipped", reason: "misfire", count: 2 }))).toContainEqual(
    expect.stringMatching(/^never due: every .*2 for 1/),
  );
});

test("what nobody ever recovers is unfinished", () => {
  expect(broken((_, row) => Object.assign(row, { state: "running" }))).toContainEqual(
    expect.stringMatching(/^unfinished: running every-/),
  );
});

test("success without a call, or with a call that failed, or in another attempt, is not success", () => {
  const expected = ["succeeded without a call: every-9123"];
  expect(broken((day) => day.calls.splice(5, 1))).toEqual(expected);
  expect(broken((day) => Object.assign(day.calls[5]!, { status: 503 }))).toEqual(expected);
  expect(broken((day) => Object.assign(day.calls[5]!, { status: 0 }))).toEqual(expected);
  expect(broken((day, row) => Object.assign(day, { ledger: day.ledger.with(5, repeated(row)) }))).toEqual(expected);
});

test("a second call without a doubtful attempt before it has no reason, whatever its number", () => {
  const same = broken((day, row) => day.calls.push(call(row)));
  expect(same).toEqual([expect.stringMatching(/^called again for no reason: attempt 1 of every-/)]);
  const next = broken((day, row) => {
    Object.assign(row, { attempt: 2, attempts: [row.attempts[0], { ...row.attempts[0], number: 2 }] });
    day.calls.push(call(row, { attempt: 2, in: row.scheduledAt + 100 }));
  });
  expect(next).toEqual([expect.stringMatching(/^called again for no reason: attempt 2/)]);
});

test("an attempt that is called twice has no reason even when the one before it was lost", () => {
  const twice = broken((day, row) => {
    day.ledger[5] = repeated(row);
    for (const ms of [5_001, 5_050]) day.calls.push(call(row, { attempt: 2, in: row.scheduledAt + ms }));
  });
  expect(twice).toContainEqual(expect.stringMatching(/^called again for no reason: attempt 2/));
});

test("a call that was given up may come after its successor's; one that was not may not", () => {
  const swapped = (outcome: string) =>
    broken((day, row) => {
      const again = repeated(row);
      day.ledger[5] = again;
      Object.assign(again.attempts[0]!, { outcome });
      Object.assign(day.calls[5]!, { in: row.scheduledAt + 5_100 });
      day.calls.push(call(row, { attempt: 2, in: row.scheduledAt + 5_001 }));
    });
  expect(swapped("lost")).toEqual([]);
  expect(swapped("failed")).toEqual([
    expect.stringMatching(/^called again for no reason: attempt 1 .* called as 2, 1$/),
  ]);
});

test("calls of executions, or attempts, that the ledger does not have are seen", () => {
  expect(broken((day, row) => day.calls.push(call({ ...row, id: "stranger" })))).toEqual([
    expect.stringMatching(/^called without being in the ledger: attempt 1 of stranger/),
  ]);
  expect(broken((day, row) => day.calls.push(call(row, { attempt: 2 })))).toContainEqual(
    expect.stringMatching(/^called without being in the ledger: attempt 2/),
  );
});

test("what starts a millisecond early is early, by the target's file or by the ledger", () => {
  expect(broken((day, row) => Object.assign(day.calls[5]!, { in: row.scheduledAt - 1 }))).toEqual([
    "early: every-9123 (every) by 1 ms",
  ]);
  expect(broken((_, row) => Object.assign(row.attempts[0]!, { startedAt: iso(row.scheduledAt - 1) }))).toEqual([
    "early: every-9123 by its attempts in the ledger",
  ]);
});

test("a trigger that was acknowledged and is nowhere is lost", () => {
  expect(broken((day) => day.triggered.push("acknowledged"))).toEqual(["lost: triggered execution acknowledged"]);
});
