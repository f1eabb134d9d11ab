import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { awaitStopSignal } from "./stop-signal.ts";

function stage() {
  const source = new EventEmitter();
  const seconds: string[] = [];
  let nowMs = 0;
  const signal = awaitStopSignal((second) => seconds.push(second), { source, now: () => nowMs });
  const send = (name: string, atMs: number) => {
    nowMs = atMs;
    source.emit(name, name);
  };
  return { source, seconds, signal, send };
}

test("the first signal asks to stop", async () => {
  const { signal, send, seconds } = stage();
  send("SIGTERM", 0);
  expect(await signal.received).toBe("SIGTERM");
  expect(seconds).toEqual([]);
});

test("a second signal does not wait", () => {
  const { send, seconds } = stage();
  send("SIGINT", 0);
  send("SIGINT", 2_000);
  expect(seconds).toEqual(["SIGINT"]);
});

test("one Ctrl-C that arrives twice, from the terminal and from npm, is one wish", () => {
  const { send, seconds } = stage();
  send("SIGINT", 0);
  send("SIGINT", 3);
  expect(seconds).toEqual([]);
});

test("afterwards signals mean again what they mean to every process", () => {
  const { source, signal } = stage();
  signal.ignore();
  expect(source.listenerCount("SIGINT") + source.listenerCount("SIGTERM")).toBe(0);
});
