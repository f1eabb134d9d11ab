import { expect, test } from "vitest";
import { zoneNamed } from "./cron/zone.ts";
import { localDays } from "./local-days.ts";

const hours = ({ from, to }: { from: Date; to: Date }) => (to.getTime() - from.getTime()) / 3_600_000;

test("the last day is the one that the clocks of the zone show", () => {
  const now = new Date("2026-06-01T23:30:00Z");
  expect(localDays(zoneNamed("UTC")!, now, 2).map(({ date }) => date)).toEqual(["2026-05-31", "2026-06-01"]);
  expect(localDays(zoneNamed("Asia/Tokyo")!, now, 1)).toEqual([
    { date: "2026-06-02", from: new Date("2026-06-01T15:00:00Z"), to: new Date("2026-06-02T15:00:00Z") },
  ]);
});

test("days are as long as the clocks make them, and leave nothing out between them", () => {
  const days = localDays(zoneNamed("Europe/Berlin")!, new Date("2026-10-26T12:00:00Z"), 366);
  expect(days).toHaveLength(366);
  expect(hours(days.find(({ date }) => date === "2026-03-29")!)).toBe(23);
  expect(hours(days.find(({ date }) => date === "2026-10-25")!)).toBe(25);
  for (const [n, day] of days.slice(1).entries()) expect(day.from).toEqual(days[n]!.to);
});

test("a day that begins with a gap begins after it", () => {
  const days = localDays(zoneNamed("Africa/Cairo")!, new Date("2026-04-24T12:00:00Z"), 1);
  expect(days).toMatchObject([{ date: "2026-04-24", from: new Date("2026-04-23T22:00:00Z") }]);
  expect(hours(days[0]!)).toBe(23);
});

test("a day that was left out at the date line is there and has no length", () => {
  const days = localDays(zoneNamed("Pacific/Apia")!, new Date("2011-12-31T06:00:00Z"), 3);
  expect(days.map((day) => [day.date, hours(day)])).toEqual([
    ["2011-12-29", 24],
    ["2011-12-30", 0],
    ["2011-12-31", 24],
  ]);
});
