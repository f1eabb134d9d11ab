// Signing keys on a real node, from the receiver's side: with the Standard Webhooks library and with our own verification.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { verifyWebhook } from "../../src/client/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { startNode, type TestNode } from "../support/nodes.ts";
import { until } from "../support/programs.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

async function startReceiver(): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    received.push({ headers: request.headers, body });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

async function startSigningNode(): Promise<{ node: TestNode; url: string; call: (job: string) => Promise<Received> }> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const node = await startNode({ databaseUrl: database.url });
  const { url, received } = await startReceiver();
  const call = async (job: string) => {
    const { id } = await node.insist("POST", `/jobs/${job}/trigger`, { payload: { at: randomUUID() } });
    return await until(() => received.find(({ headers }) => headers["webhook-id"] === id));
  };
  return { node, url, call };
}

async function secretOf(node: TestNode, id: unknown): Promise<string> {
  return (await node.api<{ secret: string }>("GET", `/signing-keys/${id}/secret`)).body.secret;
}

/** By which of the keys a receiver that has only that one takes the call, in both libraries. */
async function accepting({ headers, body }: Received, keys: Record<string, string>): Promise<string[]> {
  const accepted: string[] = [];
  for (const [name, secret] of Object.entries(keys)) {
    const theirs = await outcome(() => new Webhook(secret).verify(body, headers as Record<string, string>));
    const ours = await outcome(() => verifyWebhook({ headers, body, keys: secret }));
    expect(ours).toBe(theirs);
    if (ours) accepted.push(name);
  }
  return accepted;
}

async function outcome(verify: () => unknown): Promise<boolean> {
  try {
    await verify();
    return true;
  } catch (error) {
    if (/WebhookVerificationError/.test((error as Error).constructor.name)) return false;
    throw error;
  }
}

test("while a key is replaced, receivers with the old and with the new one verify; afterwards only the new", async () => {
  const { node, url, call } = await startSigningNode();
  await node.insist("POST", "/jobs", { name: "signed", target: { type: "http", url } });
  const [first] = (await node.api<{ items: { id: string }[] }>("GET", "/signing-keys")).body.items;
  const keys: Record<string, string> = { old: await secretOf(node, first!.id) };
  expect(await accepting(await call("signed"), keys)).toEqual(["old"]);

  const second = await node.insist("POST", `/signing-keys/${first!.id}/rotate`, { overlap: "1h" });
  expect(second).toMatchObject({ name: "default", version: 2, use: "project", state: "active", expiresAt: null });
  keys.new = await secretOf(node, second.id);
  // A node remembers keys for a second.
  const both = await until(async () => {
    const received = await call("signed");
    return String(received.headers["webhook-signature"]).split(" ").length === 2 ? received : null;
  });
  expect(await accepting(both, keys)).toEqual(["old", "new"]);
  expect(await accepting({ ...both, body: `${both.body} ` }, keys)).toEqual([]);

  const third = await node.insist("POST", `/signing-keys/${second.id}/rotate`, { overlap: "0s" });
  keys.newest = await secretOf(node, third.id);
  const replaced = await until(async () => {
    const received = await call("signed");
    return (await accepting(received, { new: keys.new! })).length === 0 ? received : null;
  });
  expect(await accepting(replaced, keys)).toEqual(["old", "newest"]);
});

test("what the Standard Webhooks library signs with two keys is verified by receivers with either", async () => {
  const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((bytes) => `whsec_${bytes.toString("base64")}`);
  const now = new Date();
  const body = '{"a":1}';
  const signature = secrets.map((secret) => new Webhook(secret).sign("msg_1", now, body)).join(" ");
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": signature };
  for (const keys of [secrets[0], secrets[1], secrets])
    await expect(verifyWebhook({ headers, body, keys })).resolves.toMatchObject({ payload: { a: 1 } });
});

test("a job that names a key is signed with that alone, and keeps it from being deleted", async () => {
  const { node, url, call } = await startSigningNode();
  const named = await node.insist("POST", "/signing-keys", { name: "billing", use: "named" });
  const [, standard] = (await node.api<{ items: { id: string }[] }>("GET", "/signing-keys")).body.items;
  const keys = { billing: await secretOf(node, named.id), default: await secretOf(node, standard!.id) };
  await node.insist("POST", "/jobs", { name: "any", target: { type: "http", url } });
  await node.insist("POST", "/jobs", { name: "bill", target: { type: "http", url, signingKey: "billing" } });
  expect(await accepting(await call("bill"), keys)).toEqual(["billing"]);
  expect(await accepting(await call("any"), keys)).toEqual(["default"]);

  const kept = await node.api<{ error: { code: string; message: string } }>("DELETE", `/signing-keys/${named.id}`);
  expect([kept.status, kept.body.error.code]).toEqual([409, "wrong_state"]);
  expect(kept.body.error.message).toContain("is named by 1 job (bill)");
});
