import { expect, test } from "vitest";
import { durationText, roughDurationText } from "./duration.ts";

test.each([
  [0, "0 ms"],
  [0.4, "0.4 ms"],
  [320, "320 ms"],
  [999.6, "1000 ms"],
  [1_000, "1 s"],
  [4_234, "4.23 s"],
  [59_940, "59.9 s"],
  [60_000, "1 min"],
  [185_000, "3 min 5 s"],
  [7_200_000, "2 h"],
  [9 * 86_400_000 + 4 * 3_600_000, "9 d 4 h"],
])("%d ms is told as %s", (ms, text) => expect(durationText(ms)).toBe(text));

test.each([
  [1_000, "1 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [7_199_000, "119 min"],
  [7_200_000, "2 h"],
  [49 * 3_600_000, "2 d"],
  [-5_000, "5 s"],
])("%d ms away is told as %s", (ms, text) => expect(roughDurationText(ms)).toBe(text));
