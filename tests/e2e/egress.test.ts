// Where calls may go, on real nodes: refused when a job is saved and tried, refused again when it is called, whatever let it
// be saved; and the way through a proxy.
import { expect, onTestFinished, test, vi } from "vitest";
import { connectProxy } from "../../src/targets/http/testing/connect-proxy.ts";
import { closedPort, httpServer } from "../../src/targets/http/testing/servers.ts";
import { createTestDatabase } from "../support/database.ts";
import { startNode, type TestNode } from "../support/nodes.ts";

const WAIT = { timeout: 30_000, interval: 20 };
const STRICT = { PUNCTUAL_EGRESS_ALLOW: "" };

interface Refused {
  error: { details: { path: string; code: string; message: string; value: string }[] };
}

interface Execution {
  state: string;
  reason: { code: string } | null;
  attempts: { error: object | null; response: object | null; timings: Record<string, number> }[];
}

async function database(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

const to = (url: string) => ({ type: "http", url });

async function run(node: TestNode, job: string): Promise<Execution> {
  const { id } = await node.insist("POST", `/jobs/${job}/trigger`);
  return await vi.waitUntil(async () => {
    const { body } = await node.api<Execution>("GET", `/executions/${id}`);
    return ["succeeded", "failed"].includes(body.state) ? body : undefined;
  }, WAIT);
}

test("what is refused is refused by every way of saving and trying, and tells nothing about who listens", async () => {
  const node = await startNode({ databaseUrl: await database(), env: STRICT });
  const server = await httpServer();
  await node.insist("PUT", "/jobs/public", { target: to("https://host.example/") });
  const messages = new Set<string>();
  for (const host of ["127.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]", "localhost", "127.0.0.1.", "１２７.１"])
    for (const port of [server.port, await closedPort()]) {
      const target = to(`http://${host}:${port}/`);
      for (const [method, path, body] of [
        ["POST", "/jobs", { name: "inside", target }],
        ["POST", "/jobs?dryRun=true", { name: "inside", target }],
        ["PUT", "/jobs/inside", { target }],
        ["PUT", "/jobs/public", { target }],
        ["PATCH", "/jobs/public", { target }],
        ["POST", "/targets/test", { target }],
      ] as const) {
        const refused = await node.api<Refused>(method, path, body);
        expect([method, path, refused.status]).toEqual([method, path, 400]);
        expect(refused.body.error.details).toMatchObject([
          { path: "target.url", code: "egress_denied", value: target.url },
        ]);
        messages.add(refused.body.error.details[0]!.message);
      }
    }
  // Three hosts, however they are written, and no difference between ports.
  expect(messages.size).toBe(3);
  const smtp = await node.api<Refused>("POST", "/jobs", { name: "mail", target: to("http://host.example:25/") });
  expect(smtp.body.error.details[0]).toMatchObject({
    code: "egress_denied",
    message: "port 25 of host.example is not covered by PUNCTUAL_EGRESS_PORTS; adding it there would allow it",
  });
  expect(server.connections).toBe(0);
});

test("a job that could be saved is judged again by the node that calls it, and its attempts are the same whoever listens", async () => {
  const databaseUrl = await database();
  const saves = await startNode({ databaseUrl, name: "saves", roles: "api" });
  await startNode({ databaseUrl, name: "calls", roles: "planner,dispatcher", env: STRICT });
  const server = await httpServer();
  await saves.insist("PUT", "/jobs/open", { target: to(`http://127.0.0.1:${server.port}/`) });
  await saves.insist("PUT", "/jobs/closed", { target: to(`http://127.0.0.1:${await closedPort()}/`) });
  const [open, closed] = [await run(saves, "open"), await run(saves, "closed")];
  for (const execution of [open, closed]) {
    expect(execution).toMatchObject({ state: "failed", reason: { code: "not_retryable" } });
    expect(execution.attempts).toMatchObject([
      { error: { code: "egress_denied" }, response: null, timings: { connectMs: 0, tlsMs: 0, firstByteMs: 0 } },
    ]);
  }
  expect(open.attempts[0]!.error).toEqual(closed.attempts[0]!.error);
  expect(server.connections).toBe(0);
});

test("with a proxy, jobs and trials go through it, and nothing shows its password", async () => {
  const [server, proxy] = [await httpServer(), await connectProxy()];
  const url = proxy.url.replace("//", "//me:s3cret@");
  const node = await startNode({ databaseUrl: await database(), env: { PUNCTUAL_EGRESS_PROXY: url } });
  const target = to(`http://127.0.0.1:${server.port}/`);
  await node.insist("PUT", "/jobs/proxied", { target });
  const executed = await run(node, "proxied");
  expect(executed).toMatchObject({ state: "succeeded" });
  const tried = await node.api("POST", "/targets/test", { target });
  expect(tried.body).toMatchObject({ outcome: "succeeded" });
  expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${server.port}`]));
  expect(server.connections).toBe(proxy.asked.length);
  const refusing = await connectProxy({ refuse: () => 403 });
  const other = {
    PUNCTUAL_EGRESS_PROXY: refusing.url.replace("//", "//me:s3cret@"),
    PUNCTUAL_EGRESS_PROXY_RESOLVES: "on",
  };
  const outside = await startNode({ databaseUrl: await database(), env: other });
  const refused = await outside.api("POST", "/targets/test", { target });
  expect(refused.body).toMatchObject({
    outcome: "failed",
    error: {
      code: "network",
      message: `127.0.0.1:${server.port}: the egress proxy refused the connection: 403 Forbidden`,
    },
  });
  const inside = await outside.api<Refused>("POST", "/targets/test", {
    target: to("http://metadata.google.internal/"),
  });
  expect(inside.body.error.details[0]).toMatchObject({ code: "egress_denied" });
  expect(refusing.asked).toEqual([`127.0.0.1:${server.port}`]);
  expect(JSON.stringify([executed, tried, refused, node.log, outside.log])).not.toMatch(/s3cret/);
});
