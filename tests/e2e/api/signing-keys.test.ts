import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, ECHO, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
  await api.request("POST", "/signing-keys", { body: { name: "main" } });
});
afterAll(async () => await api.close());

async function make(name: string, use = "named"): Promise<string> {
  const { status, body } = await api.request("POST", "/signing-keys", { body: { name, use } });
  expect(status).toBe(201);
  return body.id;
}

describe("rotation", () => {
  test("answers the new version, and shows until when the old one signs", async () => {
    const id = await make("rotated");
    const rotated = await api.request("POST", `/signing-keys/${id}/rotate`, { body: { overlap: "2h" } });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({ name: "rotated", version: 2, use: "named", state: "active", expiresAt: null });
    expect(rotated.text).not.toContain("whsec_");
    const { body } = await api.request("GET", "/signing-keys");
    const old = body.items.find((key: { id: string }) => key.id === id);
    const left = new Date(old.expiresAt).getTime() - (await api.database.store.now()).getTime();
    expect(left).toBeGreaterThan(2 * 3_600_000 - 60_000);
    expect(left).toBeLessThanOrEqual(2 * 3_600_000);
    const secrets = await Promise.all(
      [id, rotated.body.id].map((each) => api.request("GET", `/signing-keys/${each}/secret`)),
    );
    expect(secrets[0]!.body.secret).not.toBe(secrets[1]!.body.secret);
  });

  test("overlaps for 24 hours unless told otherwise, and for 30 days at most", async () => {
    const id = await make("overlapping");
    const long = await api.request("POST", `/signing-keys/${id}/rotate`, { body: { overlap: "31d" } });
    expect([long.status, long.body.error.details[0].path]).toEqual([400, "overlap"]);
    await api.request("POST", `/signing-keys/${id}/rotate`);
    const old = (await api.database.store.signingKeys.list(PROJECT)).find((key) => key.id === id)!;
    const left = old.expiresAt!.getTime() - (await api.database.store.now()).getTime();
    expect(left).toBeGreaterThan(86_400_000 - 60_000);
    expect(left).toBeLessThanOrEqual(86_400_000);
  });

  test("of what was rotated before is a 409 that names the successor", async () => {
    const id = await make("before");
    const next = (await api.request("POST", `/signing-keys/${id}/rotate`, { body: { overlap: "0s" } })).body.id;
    const again = await api.request("POST", `/signing-keys/${id}/rotate`);
    expect([again.status, again.body.error.code]).toEqual([409, "wrong_state"]);
    expect(again.body.error.message).toMatch(/version 1 of the signing key "before" was rotated before and ended at/);
    expect(again.body.error.message).toContain(next);
  });

  test("repeated with its idempotency key makes one version", async () => {
    const id = await make("repeated");
    const headers = { "idempotency-key": "rotate-once" };
    const first = await api.request("POST", `/signing-keys/${id}/rotate`, { headers });
    const second = await api.request("POST", `/signing-keys/${id}/rotate`, { headers });
    expect(second.body).toEqual(first.body);
  });

  test("is for those who may write, in their own project", async () => {
    const id = await make("foreign");
    const path = `/signing-keys/${id}/rotate`;
    expect((await api.request("POST", path, { key: READ_KEY })).status).toBe(403);
    expect((await api.request("POST", path, { key: STRANGER_KEY })).status).toBe(404);
    expect((await api.request("POST", "/signing-keys/0198a000-0000-7000-8000-000000000001/rotate")).status).toBe(404);
  });
});

test("the last key that signs for a project stays: calls would go unsigned", async () => {
  const { body } = await api.request("GET", "/signing-keys");
  const { id } = body.items.find((key: { name: string }) => key.name === "main");
  const last = await api.request("DELETE", `/signing-keys/${id}`);
  expect([last.status, last.body.error.code]).toEqual([409, "wrong_state"]);
  expect(last.body.error.message).toContain("calls would go unsigned");
});

test("an eleventh signature is refused instead of dropped", async () => {
  let id = await make("many");
  for (let version = 2; version <= 10; version += 1)
    id = (await api.request("POST", `/signing-keys/${id}/rotate`)).body.id;
  const refused = await api.request("POST", `/signing-keys/${id}/rotate`);
  expect([refused.status, refused.body.error.code]).toEqual([409, "wrong_state"]);
  expect(refused.body.error.message).toContain("at most 10 signatures");
});

describe("a job that names a signing key", () => {
  const target = { ...ECHO, signingKey: "nobody" };

  test.each([
    ["POST", "/jobs", { name: "n1", target }],
    ["POST", "/jobs?dryRun=true", { name: "n1", target }],
    ["PUT", "/jobs/n2", { target }],
    ["PUT", "/jobs/n2?dryRun=true", { target }],
    ["POST", "/targets/test", { target }],
  ])("is refused by %s %s if there is no such key", async (method, path, body) => {
    const refused = await api.request(method, path, { body });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details).toEqual([
      {
        path: "target.signingKey",
        code: "unknown_signing_key",
        message: expect.stringMatching(
          /"nobody" is no signing key of this project \(there are: .*main.*\); make it first/,
        ),
        value: "nobody",
      },
    ]);
  });

  test("is refused by PATCH too, and taken with a key that is there", async () => {
    await make("somebody");
    await api.request("POST", "/jobs", { body: { name: "n3", target: { ...ECHO, signingKey: "somebody" } } });
    expect((await api.request("PATCH", "/jobs/n3", { body: { target } })).body.error.details[0].path).toBe(
      "target.signingKey",
    );
    expect((await api.request("GET", "/jobs/n3")).body.target.signingKey).toBe("somebody");
  });
});
