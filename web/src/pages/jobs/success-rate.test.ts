import { expect, test } from "vitest";
import { rateText } from "./success-rate.ts";

test("a share is rounded down, so that one failure among a thousand is still seen", () => {
  expect([1, 0.9999, 0.995, 0.95, 0.666, 0].map(rateText)).toEqual(["100%", "99.9%", "99.5%", "95%", "66%", "0%"]);
});
