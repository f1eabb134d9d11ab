import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JobSpec } from "../contract/job.ts";
import { jobInputSchema } from "../contract/job.ts";
import { compileJob } from "./compiled-job.ts";
import { plan } from "./plan.ts";
import { validateSchedule } from "./schedule/validate.ts";

const CREATED = Date.parse("2026-03-01T00:00:00Z");
const PROJECT = "0195501c-8400-7000-8000-00000000abce";
const JOB = "0195501c-8400-7000-8000-00000000abcd";
const SECOND = 1_000;
const MINUTE = 60_000;
const DAY = 86_400_000;

function job(written: { schedule: object } & Record<string, unknown>) {
  const input = jobInputSchema.parse({ name: "j", target: { type: "http", url: "http://a/" }, ...written });
  const checked = validateSchedule(input.schedule, { now: CREATED, graceMs: MINUTE, anchor: CREATED });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const made = { id: JOB, projectId: PROJECT, createdAt: new Date(CREATED) };
  return compileJob(made, 1, { ...input, name: "j", schedule: checked.schedule } as JobSpec);
}

function moment(now: number, horizonMs = 2 * SECOND) {
  return { now, horizon: now + horizonMs, ledgerFrom: 0 };
}

const iso = (ms: number) => new Date(ms).toISOString();

describe("what is due within the horizon", () => {
  test("becomes one fire each, and the cursor stands at the first instant after it", () => {
    const made = plan(job({ schedule: { every: "1s" } }), { next: CREATED + SECOND, runs: 0 }, moment(CREATED + 500));
    expect(made.fires.map((fire) => fire.scheduledAt - CREATED)).toEqual([1000, 2000]);
    expect(made.next).toBe(CREATED + 3000);
    expect(made.runs).toBe(2);
    expect(made.skips).toEqual([]);
  });

  test("has the same id on every node and after every crash", () => {
    const cursor = { next: CREATED + SECOND, runs: 0 };
    const [one, two] = [1, 2].map(
      () => plan(job({ schedule: { every: "1s" } }), cursor, moment(CREATED + 500)).fires[0]!.id,
    );
    expect(one).toBe(two);
    expect(one).toMatch(/^0[0-9a-f]{7}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("stops at maxRuns, and the last fire says so", () => {
    const made = plan(
      job({ schedule: { every: "1s", maxRuns: 3 } }),
      { next: CREATED + 2 * SECOND, runs: 1 },
      moment(CREATED + 1500, 10 * SECOND),
    );
    expect(made.fires.map((fire) => fire.lastFire)).toEqual([false, true]);
    expect(made.next).toBeNull();
    expect(made.completes).toBe(false);
  });

  test("is merely late within a minute, or until the next instant if that is sooner", () => {
    const hourly = plan(
      job({ schedule: { cron: "0 * * * *" } }),
      { next: CREATED, runs: 0 },
      moment(CREATED + 59 * SECOND),
    );
    expect(hourly.fires.map((fire) => fire.lateAfter! - fire.scheduledAt)).toEqual([MINUTE]);
    const secondly = plan(
      job({ schedule: { every: "1s" } }),
      { next: CREATED + SECOND, runs: 0 },
      moment(CREATED + 1500, 0),
    );
    expect(secondly.fires.map((fire) => fire.lateAfter! - fire.scheduledAt)).toEqual([SECOND]);
    expect(secondly.skips).toEqual([]);
  });
});

describe("after downtime", () => {
  const now = CREATED + 10 * MINUTE + 30 * SECOND;
  const cursor = { next: CREATED + MINUTE, runs: 0 };
  const minutely = (misfire: object) => plan(job({ schedule: { every: "1m" }, misfire }), cursor, moment(now, 0));

  test("fire_once runs the latest missed instant and records the earlier ones as skipped", () => {
    const made = minutely({ policy: "fire_once" });
    // 10:00 is late by 30 s, which is within its grace of a minute: it simply runs. 9:00 is the latest that was missed.
    expect(made.fires.map((fire) => (fire.scheduledAt - CREATED) / MINUTE)).toEqual([9, 10]);
    expect(
      made.skips.map(({ first, last, count, reason }) => [
        (first - CREATED) / MINUTE,
        (last - CREATED) / MINUTE,
        count,
        reason.code,
      ]),
    ).toEqual([[1, 8, 8, "misfire"]]);
  });

  test("skip runs none of the missed ones", () => {
    const made = minutely({ policy: "skip" });
    expect(made.fires.map((fire) => (fire.scheduledAt - CREATED) / MINUTE)).toEqual([10]);
    expect(made.skips.map(({ count }) => count)).toEqual([9]);
  });

  test("fire_all is judged again where nobody may ever take its fires: for handlers, not for hosts", () => {
    const lateAfter = (target: object) => {
      const misfire = { policy: "fire_all" };
      const made = plan(
        job({ schedule: { every: "1m" }, target, misfire }),
        { next: CREATED + MINUTE, runs: 0 },
        moment(CREATED + MINUTE),
      );
      return made.fires.map((fire) => fire.lateAfter);
    };
    expect(lateAfter({ type: "http", url: "http://a/" })).toEqual([null]);
    expect(lateAfter({ type: "worker", handler: "h" })).toEqual([CREATED + 2 * MINUTE]);
  });

  test("fire_all runs the latest of them, oldest first, within window and limit, one after the other in a lane of its own", () => {
    const limited = minutely({ policy: "fire_all", limit: 3 });
    expect(limited.fires.map((fire) => (fire.scheduledAt - CREATED) / MINUTE)).toEqual([7, 8, 9, 10]);
    expect(limited.fires.map((fire) => fire.overlap)).toEqual(["catch_up", "catch_up", "catch_up", "skip"]);
    expect(limited.fires[0]!.lane).not.toBe(limited.fires[3]!.lane);
    expect(limited.skips.map(({ count }) => count)).toEqual([6]);
    const windowed = minutely({ policy: "fire_all", window: "3m" });
    expect(windowed.fires.map((fire) => (fire.scheduledAt - CREATED) / MINUTE)).toEqual([8, 9, 10]);
  });

  test("an instant later than a grace of its own is missed, an earlier one is not", () => {
    const made = minutely({ policy: "skip", grace: "5m" });
    expect(made.fires.map((fire) => (fire.scheduledAt - CREATED) / MINUTE)).toEqual([6, 7, 8, 9, 10]);
    expect(made.skips.map(({ count }) => count)).toEqual([5]);
  });

  test("a year of missed seconds is 366 rows at most, whatever the zone", () => {
    const made = plan(
      job({ schedule: { cron: "* * * * * *", timezone: "America/New_York" }, misfire: { policy: "skip" } }),
      { next: CREATED + SECOND, runs: 0 },
      moment(CREATED + 365 * DAY),
    );
    expect(made.skips.length).toBeLessThanOrEqual(366);
    const skipped = made.skips.reduce((sum, { count }) => sum + count, 0);
    expect(skipped + made.fires.length).toBe((365 * DAY) / SECOND + 2);
  });

  test("instants older than the ledger reaches are not written", () => {
    const at = CREATED + 100 * DAY;
    const made = plan(
      job({ schedule: { every: "1m" }, misfire: { policy: "skip" } }),
      { next: CREATED + MINUTE, runs: 0 },
      { ...moment(at), ledgerFrom: at - 30 * DAY },
    );
    expect(iso(made.skips[0]!.first)).toBe(iso(at - 30 * DAY));
  });

  test("a job whose schedule ended during it completes without a run if its policy runs none", () => {
    const made = plan(
      job({ schedule: { every: "1m", endsAt: iso(CREATED + 5 * MINUTE) }, misfire: { policy: "skip" } }),
      cursor,
      moment(CREATED + DAY),
    );
    expect(made).toMatchObject({ fires: [], next: null, completes: true });
    expect(made.skips.reduce((sum, { count }) => sum + count, 0)).toBe(4);
  });
});

describe("complete and unique", () => {
  const schedules = [
    { every: "1s" },
    { every: "7s" },
    { every: "90s" },
    { cron: "*/5 * * * * *" },
    { cron: "0 */7 * * * *", timezone: "Australia/Lord_Howe" },
    { cron: "30 1,2,3 * * *", timezone: "Europe/London" },
  ];

  test("however the passes fall, every instant is covered exactly once, until maxRuns or the end", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...schedules),
        fc.constantFrom("fire_once", "fire_all", "skip"),
        fc.array(fc.integer({ min: 1, max: 3 * 3_600_000 }), { minLength: 1, maxLength: 12 }),
        fc.record({ firesMax: fc.integer({ min: 1, max: 20 }), stretchesMax: fc.integer({ min: 1, max: 3 }) }),
        (schedule, policy, gaps, limits) => {
          const compiled = job({ schedule, misfire: { policy, limit: 50 } });
          const covered: number[] = [];
          let cursor = { next: compiled.timetable.next(CREATED)!, runs: 0 };
          let now = CREATED;
          let until = CREATED;
          for (const gap of gaps) {
            now += gap;
            const made = plan(compiled, cursor, moment(now), limits);
            for (const fire of made.fires) covered.push(fire.scheduledAt);
            for (const skip of made.skips) {
              let instant: number | null = skip.first;
              let counted = 0;
              for (; instant !== null && instant <= skip.last; instant = compiled.timetable.next(instant)) {
                covered.push(instant);
                counted += 1;
              }
              expect(counted).toBe(skip.count);
            }
            until = made.plannedUntil;
            cursor = { next: made.next!, runs: made.runs };
          }
          const expected: number[] = [];
          for (
            let instant = compiled.timetable.next(CREATED);
            instant !== null && instant <= until;
            instant = compiled.timetable.next(instant)
          )
            expected.push(instant);
          expect(covered.toSorted((a, b) => a - b)).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });
});
