import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { banner } from "./banner.ts";

const FACTS = {
  version: "1.2.3",
  link: "http://127.0.0.1:7420/#sign-in=once",
  apiKey: "punctual_id_secret",
  apiKeyFile: "/data/api-key",
  database: "PostgreSQL 18.4 in /data",
  logFile: "/data/punctual.log",
  notes: ["something to know"],
};

test("everything a newcomer needs is there", () => {
  const text = banner({ ...FACTS, url: "http://127.0.0.1:7420" });
  for (const fact of [
    "1.2.3",
    "http://127.0.0.1:7420",
    "punctual_id_secret",
    "#sign-in=once",
    "/data/punctual.log",
    "something to know",
  ])
    expect(text).toContain(fact);
});

test("the curl works when pasted into a shell", async () => {
  let seen: object | null = null;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      seen = {
        method,
        url,
        authorization: headers.authorization,
        type: headers["content-type"],
        body: JSON.parse(body),
      };
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;

  const line = banner({ ...FACTS, url })
    .split("\n")
    .find((candidate) => candidate.includes("curl "));
  await promisify(execFile)("sh", ["-c", line!]);
  expect(seen).toEqual({
    method: "PUT",
    url: "/api/v1/jobs/hello",
    authorization: "Bearer punctual_id_secret",
    type: "application/json",
    body: { schedule: { every: "10s" }, target: { type: "http", url: `${url}/dev/echo` }, payload: { hello: "world" } },
  });
});
