import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, ECHO, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

let made = 0;
function name(): string {
  made += 1;
  return `declared-${made}`;
}

const HOURLY = { schedule: { every: "1h" }, target: ECHO };

async function versionsOf(job: string): Promise<{ version: number; source: string | null; createdBy: string }[]> {
  return (await api.request("GET", `/jobs/${job}/versions`)).body.items;
}

describe("a job belongs to the source that declares it", () => {
  test("POST and PUT with a source make its job, and its versions say where they come from", async () => {
    const [posted, put] = [name(), name()];
    const first = await api.request("POST", "/jobs?source=file:billing", { body: { name: posted, ...HOURLY } });
    expect(first).toMatchObject({ status: 201, body: { source: "file:billing", drifted: false } });
    const second = await api.request("PUT", `/jobs/${put}?source=file:billing`, { body: HOURLY });
    expect(second).toMatchObject({ status: 201, body: { source: "file:billing", drifted: false } });
    expect(await versionsOf(put)).toMatchObject([{ version: 1, source: "file:billing", createdBy: "tester" }]);
    const listed = await api.request("GET", "/jobs?source=file:billing");
    expect(listed.body.items.map((job: { name: string }) => job.name).sort()).toEqual([posted, put].sort());
  });

  test("its source changes it; another source is told whose it is", async () => {
    const job = name();
    await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: HOURLY });
    const own = await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: { ...HOURLY, priority: 10 } });
    expect(own).toMatchObject({ status: 200, body: { version: 2, priority: 10 } });
    const other = await api.request("PUT", `/jobs/${job}?source=file:shop`, { body: HOURLY });
    expect(other.status).toBe(409);
    expect(other.body.error).toMatchObject({ code: "wrong_source" });
    expect(other.body.error.message).toContain(`"file:billing"`);
    expect((await api.request("GET", `/jobs/${job}`)).body).toMatchObject({ version: 2, source: "file:billing" });
  });

  test("a job made by hand is not taken over unless that is meant, and taking it over is no new version", async () => {
    const job = name();
    await api.request("PUT", `/jobs/${job}`, { body: HOURLY });
    const refused = await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: HOURLY });
    expect(refused.body.error).toMatchObject({ code: "wrong_source" });
    expect(refused.body.error.message).toContain("by hand");
    const adopted = await api.request("PUT", `/jobs/${job}?source=file:billing&adopt=true`, { body: HOURLY });
    expect(adopted).toMatchObject({ status: 200, body: { source: "file:billing", version: 1, drifted: false } });
    const changed = await api.request("PUT", `/jobs/${job}?source=file:shop&adopt=true`, {
      body: { ...HOURLY, priority: 3 },
    });
    expect(changed.body).toMatchObject({ source: "file:shop", version: 2, drifted: false });
  });

  test("a change by hand stays allowed, keeps the source and shows as drift until its source says otherwise", async () => {
    const job = name();
    await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: HOURLY });
    const patched = await api.request("PATCH", `/jobs/${job}`, { body: { priority: 90 } });
    expect(patched.body).toMatchObject({ source: "file:billing", drifted: true, version: 2 });
    expect(await versionsOf(job)).toMatchObject([{ source: null }, { source: "file:billing" }]);

    const agreed = await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: { ...HOURLY, priority: 90 } });
    expect(agreed.body).toMatchObject({ drifted: false, version: 2 });

    await api.request("PUT", `/jobs/${job}`, { body: { ...HOURLY, priority: 91 } });
    const again = await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: { ...HOURLY, priority: 90 } });
    expect(again.body).toMatchObject({ drifted: false, version: 4, priority: 90 });
  });

  test("a source deletes only its own", async () => {
    const job = name();
    await api.request("PUT", `/jobs/${job}?source=file:billing`, { body: HOURLY });
    const refused = await api.request("DELETE", `/jobs/${job}?source=file:shop`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "wrong_source" } } });
    expect((await api.request("DELETE", `/jobs/${job}?source=file:billing`)).status).toBe(204);
  });

  test("a source that is none is refused", async () => {
    const { status, body } = await api.request("PUT", `/jobs/${name()}?source=${encodeURIComponent("two words")}`, {
      body: HOURLY,
    });
    expect(status).toBe(400);
    expect(body.error.details[0].path).toContain("source");
  });
});

describe("a dry run of PUT", () => {
  test("shows the job that would be made and makes none", async () => {
    const job = name();
    const tried = await api.request("PUT", `/jobs/${job}?dryRun=true&source=file:billing`, { body: HOURLY });
    expect(tried).toMatchObject({ status: 200, body: { name: job, version: 1, source: "file:billing" } });
    expect((await api.request("GET", `/jobs/${job}`)).status).toBe(404);
  });

  test("shows what would change, with the next version, and keeps nothing", async () => {
    const job = name();
    const { body: before } = await api.request("PUT", `/jobs/${job}`, { body: HOURLY });
    const tried = await api.request("PUT", `/jobs/${job}?dryRun=true`, {
      body: { ...HOURLY, schedule: { every: "2h" } },
    });
    expect(tried.body).toMatchObject({ id: before.id, version: 2, schedule: { every: "2h" } });
    expect(Date.parse(tried.body.nextFireAt)).toBe(Date.parse(before.createdAt) + 2 * 3_600_000);
    expect((await api.request("GET", `/jobs/${job}`)).body).toEqual(before);
    const same = await api.request("PUT", `/jobs/${job}?dryRun=true`, { body: HOURLY });
    expect(same.body).toEqual(before);
  });

  test("is refused for the same reasons as the change itself", async () => {
    const job = name();
    const { body: made } = await api.request("PUT", `/jobs/${job}`, { body: HOURLY });
    const put = (query: string, body: object, headers = {}) =>
      api.request("PUT", `/jobs/${job}?dryRun=true${query}`, { body, headers });
    expect((await put("&source=file:x", HOURLY)).body.error.code).toBe("wrong_source");
    expect((await put("", HOURLY, { "if-match": '"7"' })).body.error.code).toBe("version_mismatch");
    expect((await put("", { ...HOURLY, name: "other" })).body.error.details[0].code).toBe("name_mismatch");
    expect((await put("", { ...HOURLY, schedule: { cron: "61 * * * *" } })).body.error.details[0].path).toBe(
      "schedule.cron",
    );
    const private_ = { ...HOURLY, target: { type: "http", url: "http://10.0.0.1/" } };
    expect((await put("", private_)).body.error.details[0].code).toBe("egress_denied");
    const taken = name();
    await api.request("PUT", `/jobs/${taken}`, { body: HOURLY });
    const renamed = await api.request("PUT", `/jobs/${made.id}?dryRun=true`, { body: { ...HOURLY, name: taken } });
    expect(renamed.body.error.code).toBe("name_taken");
    const missing = await api.request("PUT", `/jobs/${name()}?dryRun=true`, {
      body: HOURLY,
      headers: { "if-match": '"1"' },
    });
    expect(missing.status).toBe(404);
  });
});
