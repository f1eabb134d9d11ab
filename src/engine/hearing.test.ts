import { expect, test } from "vitest";
import { Hearing } from "./hearing.ts";

function passes() {
  let now = 0;
  const hearing = new Hearing(() => now);
  return {
    /** A pass at the given second that takes so long until it asks. */
    at: (second: number, { takes = 0 } = {}) => {
      now = second * 1_000;
      return hearing.during(async (heardMs) => {
        now += takes * 1_000;
        return heardMs() / 1_000;
      });
    },
    /** One that does not ask. */
    quietAt: async (second: number, { takes = 0 } = {}) => {
      now = second * 1_000;
      await hearing.during(async () => {
        now += takes * 1_000;
      });
    },
    failsAt: async (second: number) => {
      now = second * 1_000;
      const failing = hearing.during(() => Promise.reject(new Error("the database is away")));
      await expect(failing).rejects.toThrow("away");
    },
  };
}

test("workers can be heard from the first pass on, as long as passes succeed", async () => {
  const pass = passes();
  expect(await pass.at(10)).toBe(0);
  expect(await pass.at(11)).toBe(1);
  expect(await pass.at(14)).toBe(4);
});

test("a pass that fails is a break", async () => {
  const pass = passes();
  await pass.at(1);
  await pass.failsAt(2);
  expect(await pass.at(3)).toBe(0);
  expect(await pass.at(4)).toBe(1);
});

test("so is one that hangs, and a process that was frozen between two", async () => {
  const pass = passes();
  await pass.at(1);
  expect(await pass.at(2, { takes: 20 })).toBe(0);
  expect(await pass.at(23)).toBe(1);
  expect(await pass.at(60)).toBe(0);
  await pass.quietAt(90);
  expect(await pass.at(91)).toBe(1);
  await pass.quietAt(92, { takes: 10 });
  expect(await pass.at(103)).toBe(1);
});
