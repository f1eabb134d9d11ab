import { execFileSync } from "node:child_process";
import type { Job } from "punctual/client";
import { expect, test } from "vitest";
import { codeSamples, quoted } from "./code-samples.ts";

const TARGET = {
  type: "http",
  url: "https://api.example.com/reports/{{payload.id}}?x=1",
  method: "PUT",
  headers: {},
  query: {},
  timeout: "30s",
  connectTimeout: "10s",
  successOn: ["2xx"],
  completion: "response",
} as const;

function sampleOf(title: string, job: object): string {
  const made = { name: "report", payload: { note: "it's" }, target: TARGET, ...job } as unknown as Job;
  return codeSamples(made, "https://punctual.example.com").find((each) => each.title === title)!.text;
}

test("whatever is in a text, a shell reads it as one word", () => {
  const text = `it's "$HOME" \`id\` \\ {"a":1}`;
  expect(execFileSync("sh", ["-c", `printf %s ${quoted(text)}`], { encoding: "utf8" })).toBe(text);
});

test("the samples have the job's name, payload and the server's address in them", () => {
  const curl = sampleOf("Run it with curl", {});
  expect(curl).toContain("'https://punctual.example.com/api/v1/jobs/report/trigger'");
  expect(curl).toContain(`it'\\''s`);
  expect(sampleOf("Run it from TypeScript", {})).toContain(`const payload = {"note":"it's"};`);
  expect(sampleOf("Run it from TypeScript", {})).toContain('client.jobs.trigger("report", { payload })');
});

test("the receiver listens where the job calls", () => {
  expect(sampleOf("Check the signature, with Express", {})).toContain('app.put("/reports/:value", ');
});

test("a receiver that reports later is shown for jobs that wait for it", () => {
  const text = sampleOf("Check the signature, with Express", { target: { ...TARGET, completion: "callback" } });
  expect(text).toContain("reportCallback(call.callbackUrl");
});

test("a worker's job shows the worker, and no signature", () => {
  const job = { target: { type: "worker", handler: "send-mail" } };
  expect(sampleOf("The worker that does it", job)).toContain('worker.handle("send-mail"');
  expect(
    codeSamples({ name: "a", payload: {}, ...job } as unknown as Job, "http://x").map(({ title }) => title),
  ).toEqual([
    "Run it with curl",
    "Run it from TypeScript",
    "On the command line",
    "Write it with curl",
    "The worker that does it",
  ]);
});
