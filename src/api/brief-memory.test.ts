import { beforeEach, expect, test } from "vitest";
import { BriefMemory, untilForgotten } from "./brief-memory.ts";

let now: number;
let asked: number;
let memory: BriefMemory<string>;

beforeEach(() => {
  [now, asked] = [1_000, 0];
  memory = new BriefMemory(() => now);
});

function recall(key = "k", { msLeft = null as number | null, answer = async () => `answer ${asked}` } = {}) {
  const ask = () => {
    asked += 1;
    return answer();
  };
  return memory.recall(key, ask, () => msLeft);
}

test("what was told is told again for half a second, and then asked anew", async () => {
  expect(await recall()).toBe("answer 1");
  now += 499;
  expect(await recall()).toBe("answer 1");
  now += 1;
  expect(await recall()).toBe("answer 2");
  expect(await recall("another")).toBe("answer 3");
});

test("the time counts from before it was asked, however long the answer took", async () => {
  let tell = (_: string) => {};
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const slow = recall("k", { answer: () => told });
  const beside = recall();
  now += 500;
  const later = recall();
  tell("what was true then");
  expect(await slow).toBe("what was true then");
  expect(await beside).toBe("what was true then");
  expect(await later).toBe("answer 2");
  expect(await recall()).toBe("answer 2");
});

test("an answer that is true for less is remembered for less", async () => {
  await recall("k", { msLeft: 100 });
  now += 99;
  expect(await recall()).toBe("answer 1");
  now += 1;
  expect(await recall()).toBe("answer 2");
  await recall("long", { msLeft: 10_000 });
  now += 500;
  expect(await recall("long")).toBe("answer 4");
});

test("a failure is told to those who wait, and not remembered", async () => {
  const failing = { answer: () => Promise.reject(new Error("the database is away")) };
  const waiting = [recall("k", failing), recall()];
  for (const each of waiting) await expect(each).rejects.toThrow("away");
  expect(asked).toBe(1);
  expect(await recall()).toBe("answer 2");
});

test("there is room for ten thousand; the oldest make way", async () => {
  for (let n = 0; n <= 10_000; n += 1) await recall(`k${n}`);
  expect(await recall("k10000")).toBe("answer 10001");
  expect(await recall("k1")).toBe("answer 2");
  expect(await recall("k0")).toBe("answer 10002");
});

test("whoever waits until it is forgotten waits longer than anybody remembers", async () => {
  const memoryOfAnotherNode = new BriefMemory<string>(() => performance.now());
  let revoked = false;
  const ask = async () => (revoked ? "revoked" : "valid");
  expect(await memoryOfAnotherNode.recall("k", ask)).toBe("valid");
  revoked = true;
  await untilForgotten();
  expect(await memoryOfAnotherNode.recall("k", ask)).toBe("revoked");
});
