import { expect, test } from "vitest";
import { withDefaults } from "./defaults.ts";

test("a job's own word wins over the default", () => {
  expect(withDefaults({ priority: 10 }, { priority: 50, overlap: "allow" })).toEqual({
    priority: 10,
    overlap: "allow",
  });
});

test("retry and misfire are merged field by field, payloads are not", () => {
  const merged = withDefaults(
    { retry: { maxAttempts: 5 }, payload: { a: 1 } },
    { retry: { maxAttempts: 1, backoff: "fixed" }, misfire: { policy: "skip" }, payload: { b: 2 } },
  );
  expect(merged).toEqual({
    retry: { maxAttempts: 5, backoff: "fixed" },
    misfire: { policy: "skip" },
    payload: { a: 1 },
  });
});

test("tags are put together", () => {
  expect(withDefaults({ tags: ["b", "c"] }, { tags: ["a", "b"] })).toEqual({ tags: ["a", "b", "c"] });
  expect(withDefaults({}, { tags: ["a"] })).toEqual({ tags: ["a"] });
});

test("the zone goes where a clock is read, and nowhere else", () => {
  const zone = { timezone: "Europe/Berlin" };
  const scheduled = (schedule: object | null) => withDefaults({ schedule }, zone).schedule;
  expect(scheduled({ cron: "0 2 * * *" })).toEqual({ cron: "0 2 * * *", ...zone });
  expect(scheduled({ at: "2026-12-01T09:00:00" })).toEqual({ at: "2026-12-01T09:00:00", ...zone });
  expect(scheduled({ every: "1h", startsAt: "2026-12-01T09:00:00" })).toMatchObject(zone);
  expect(scheduled({ cron: "0 2 * * *", timezone: "UTC" })).toMatchObject({ timezone: "UTC" });
  for (const untouched of [{ every: "1h" }, { at: "2026-12-01T09:00:00Z" }, { at: "2026-12-01T09:00:00+01:00" }, null])
    expect(scheduled(untouched)).toEqual(untouched);
});

test("a default target serves jobs of its kind only", () => {
  const target = { type: "http", url: "https://a.example/", headers: { "x-team": "a" } };
  expect(withDefaults({}, { target })).toEqual({ target });
  expect(withDefaults({ target: { url: "https://b.example/", headers: { "x-b": "1" } } }, { target })).toEqual({
    target: { type: "http", url: "https://b.example/", headers: { "x-team": "a", "x-b": "1" } },
  });
  const worker = { type: "worker", handler: "send" };
  expect(withDefaults({ target: worker }, { target })).toEqual({ target: worker });
});
