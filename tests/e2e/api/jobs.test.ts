import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, ECHO, READ_KEY, STRANGER_KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => await api.close());

let made = 0;
function name(): string {
  made += 1;
  return `job-${made}`;
}
const cron = { cron: "0 2 * * *", timezone: "Europe/Berlin" };

describe("creating", () => {
  test("a job comes back whole, with its defaults, a version and the next fire", async () => {
    const { status, body, headers } = await api.request("POST", "/jobs", {
      body: { name: "nightly", schedule: cron, target: ECHO, payload: { format: "pdf" } },
    });
    expect(status).toBe(201);
    expect(headers.get("etag")).toBe('"1"');
    expect(headers.get("location")).toBe(`/api/v1/jobs/${body.id}`);
    expect(body).toMatchObject({
      name: "nightly",
      version: 1,
      state: "active",
      pause: null,
      priority: 50,
      overlap: "skip",
      retry: { maxAttempts: 3, backoff: "exponential" },
      schedule: { cron: "0 2 * * *", timezone: "Europe/Berlin", dst: { gap: "shift", fold: "first" } },
      lastExecution: null,
    });
    expect(Date.parse(body.nextFireAt)).toBeGreaterThan(Date.now());
    expect((await api.request("GET", `/jobs/${body.id}`)).body).toEqual(body);
    expect((await api.request("GET", "/jobs/nightly")).body).toEqual(body);
  });

  test("what was read can be written back and changes nothing", async () => {
    const { body } = await api.request("POST", "/jobs", { body: { name: name(), schedule: cron, target: ECHO } });
    const put = await api.request("PUT", `/jobs/${body.id}`, { body });
    expect(put.status).toBe(200);
    expect(put.body.version).toBe(1);
  });

  test("a taken name is a 409, and free again once its job is deleted", async () => {
    const job = { name: name(), target: ECHO };
    const first = await api.request("POST", "/jobs", { body: job });
    expect((await api.request("POST", "/jobs", { body: job })).body.error.code).toBe("name_taken");
    expect((await api.request("DELETE", `/jobs/${job.name}`)).status).toBe(204);
    expect((await api.request("GET", `/jobs/${job.name}`)).status).toBe(404);
    expect((await api.request("GET", `/jobs/${first.body.id}`)).body.state).toBe("deleted");
    expect((await api.request("POST", "/jobs", { body: job })).status).toBe(201);
  });

  test("a dry run answers with the job that would be made and makes none", async () => {
    const job = { name: name(), schedule: { every: "1h" }, target: ECHO, paused: true };
    const tried = await api.request("POST", "/jobs?dryRun=true", { body: job });
    expect(tried.status).toBe(200);
    expect(tried.body).toMatchObject({ name: job.name, state: "paused", schedule: { every: "1h" } });
    expect((await api.request("GET", `/jobs/${job.name}`)).status).toBe(404);
  });

  test("a job can be created paused", async () => {
    const { body } = await api.request("POST", "/jobs", {
      body: { name: name(), schedule: { every: "1h" }, target: ECHO, paused: true },
    });
    expect(body).toMatchObject({ state: "paused", nextFireAt: null, pause: { by: "tester" } });
  });

  test("only one-time jobs may be without a name", async () => {
    const once = await api.request("POST", "/jobs", { body: { schedule: { delay: "1h" }, target: ECHO } });
    expect(once.status).toBe(201);
    expect(once.body.name).toMatch(/^once-[0-9a-f]{12}$/);
    const recurring = await api.request("POST", "/jobs", { body: { schedule: { every: "1h" }, target: ECHO } });
    expect(recurring.body.error.details[0]).toMatchObject({ path: "name", code: "required" });
  });

  test("every problem is named with its path and the value seen", async () => {
    const { status, body } = await api.request("POST", "/jobs", {
      body: {
        name: "-bad",
        target: { type: "http", url: "ftp://x", headers: { authorization: "plain" } },
        priority: 101,
        colour: "red",
      },
    });
    expect(status).toBe(400);
    expect(body.error.code).toBe("validation_failed");
    expect(body.error.requestId).toMatch(/\S/);
    const paths = body.error.details.map((detail: { path: string }) => detail.path);
    expect(paths).toEqual(
      expect.arrayContaining(["name", "target.url", "target.headers.authorization", "priority", "colour"]),
    );
    expect(body.error.details.find((detail: { path: string }) => detail.path === "priority").value).toBe(101);
    expect(body.error.details.find((detail: { path: string }) => detail.path.endsWith("authorization")).code).toBe(
      "use_secret",
    );
  });

  test("a schedule that never fires is refused by name", async () => {
    const { body } = await api.request("POST", "/jobs", {
      body: { name: name(), schedule: { cron: "0 0 30 2 *" }, target: ECHO },
    });
    expect(body.error.details[0].path).toBe("schedule.cron");
  });

  test("a target in a refused range is refused when it is saved", async () => {
    const { status, body } = await api.request("POST", "/jobs", {
      body: { name: name(), target: { type: "http", url: "http://10.0.0.1/" } },
    });
    expect(status).toBe(400);
    expect(body.error.details[0]).toMatchObject({ path: "target.url", code: "egress_denied" });
  });
});

describe("changing", () => {
  test("PUT by name creates, then replaces, then changes nothing", async () => {
    const path = `/jobs/${name()}`;
    const job = { schedule: { every: "1h" }, target: ECHO };
    expect((await api.request("PUT", path, { body: job })).status).toBe(201);
    const same = await api.request("PUT", path, { body: job });
    expect([same.status, same.body.version]).toEqual([200, 1]);
    const other = await api.request("PUT", path, { body: { ...job, priority: 60 } });
    expect([other.status, other.body.version, other.headers.get("etag")]).toEqual([200, 2, '"2"']);
  });

  test("two PUTs of one new name at once make one job", async () => {
    const path = `/jobs/${name()}`;
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => api.request("PUT", path, { body: { schedule: { every: "1h" }, target: ECHO } })),
    );
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
  });

  test("PUT with the same delay keeps the moment, with another it moves", async () => {
    const path = `/jobs/${name()}`;
    const first = await api.request("PUT", path, { body: { schedule: { delay: "60m" }, target: ECHO } });
    expect(Object.keys(first.body.schedule)).toEqual(["at"]);
    const again = await api.request("PUT", path, { body: { schedule: { delay: "1h" }, target: ECHO } });
    expect([again.body.schedule.at, again.body.version]).toEqual([first.body.schedule.at, 1]);
    const back = await api.request("PUT", path, { body: first.body });
    expect(back.body.version).toBe(1);
    const moved = await api.request("PUT", path, { body: { schedule: { delay: "2h" }, target: ECHO } });
    expect(moved.body.version).toBe(2);
  });

  test("PATCH replaces the named fields whole and leaves the others alone", async () => {
    const { body: job } = await api.request("POST", "/jobs", {
      body: {
        name: name(),
        schedule: cron,
        target: { ...ECHO, headers: { a: "1" } },
        retry: { maxAttempts: 7, jitter: false },
      },
    });
    const patched = await api.request("PATCH", `/jobs/${job.id}`, { body: { retry: { maxAttempts: 5 } } });
    expect(patched.body).toMatchObject({
      version: 2,
      retry: { maxAttempts: 5, jitter: true },
      target: job.target,
      schedule: job.schedule,
    });
    const unknown = await api.request("PATCH", `/jobs/${job.id}`, { body: { colour: "red" } });
    expect(unknown.body.error.details[0]).toMatchObject({ path: "colour", code: "unknown_field" });
    expect(
      (await api.request("PATCH", `/jobs/${job.id}`, { body: { target: { type: "http", url: "http://10.0.0.1/" } } }))
        .status,
    ).toBe(400);
  });

  test("If-Match refuses a change of what was changed meanwhile", async () => {
    const { body: job } = await api.request("POST", "/jobs", { body: { name: name(), target: ECHO } });
    const headers = { "if-match": '"1"' };
    expect((await api.request("PATCH", `/jobs/${job.id}`, { body: { priority: 1 }, headers })).status).toBe(200);
    const late = await api.request("PATCH", `/jobs/${job.id}`, { body: { priority: 2 }, headers });
    expect([late.status, late.body.error.code]).toEqual([412, "version_mismatch"]);
    expect((await api.request("DELETE", `/jobs/${job.id}`, { headers })).status).toBe(412);
    expect((await api.request("DELETE", `/jobs/${job.id}`, { headers: { "if-match": "nonsense" } })).status).toBe(412);
  });

  test("versions are listed, read and restored", async () => {
    const { body: job } = await api.request("POST", "/jobs", {
      body: { name: name(), schedule: { every: "1h" }, target: ECHO },
    });
    await api.request("PATCH", `/jobs/${job.id}`, { body: { priority: 60 } });
    await api.request("PATCH", `/jobs/${job.id}`, { body: { priority: 70 } });
    const page = await api.request("GET", `/jobs/${job.name}/versions?limit=2`);
    expect(page.body.items.map((item: { version: number }) => item.version)).toEqual([3, 2]);
    const rest = await api.request("GET", `/jobs/${job.name}/versions?limit=2&cursor=${page.body.nextCursor}`);
    expect(rest.body).toMatchObject({
      items: [{ version: 1, createdBy: "tester", spec: { priority: 50 } }],
      nextCursor: null,
    });
    expect((await api.request("GET", `/jobs/${job.id}/versions/2`)).body.spec.priority).toBe(60);
    expect((await api.request("GET", `/jobs/${job.id}/versions/9`)).status).toBe(404);
    const restored = await api.request("POST", `/jobs/${job.id}/versions/1/restore`);
    expect(restored.body).toMatchObject({ version: 4, priority: 50 });
  });

  test("pausing and resuming say who, why and until when", async () => {
    const { body: job } = await api.request("POST", "/jobs", {
      body: { name: name(), schedule: { every: "1h" }, target: ECHO },
    });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const paused = await api.request("POST", `/jobs/${job.id}/pause`, { body: { reason: "maintenance", until } });
    expect(paused.body).toMatchObject({
      state: "paused",
      pause: { reason: "maintenance", by: "tester", until },
      nextFireAt: null,
    });
    const edited = await api.request("PATCH", `/jobs/${job.id}`, { body: { priority: 1 } });
    expect(edited.body.state).toBe("paused");
    const resumed = await api.request("POST", `/jobs/${job.id}/resume`);
    expect(resumed.body).toMatchObject({ state: "active", pause: null });
  });

  test("warnings tell what is allowed and probably not meant", async () => {
    const { body } = await api.request("POST", "/jobs", {
      body: { name: name(), schedule: { cron: "0 0 13 * FRI" }, target: { ...ECHO, timeout: "10m" } },
    });
    expect(body.warnings.map((warning: { code: string }) => warning.code)).toEqual([
      "either_day_matches",
      "timeout_shorter_than_target",
    ]);
  });
});

describe("listing", () => {
  test("pages are complete and without repeats, in every order", async () => {
    for (let n = 0; n < 7; n += 1)
      await api.request("POST", "/jobs", {
        body: { name: `list-${n}`, tags: ["list"], schedule: n % 2 ? { every: `${n}h` } : null, target: ECHO },
      });
    const names = async (sort: string) => {
      const seen: string[] = [];
      let cursor = "";
      do {
        const { status, body } = await api.request(
          "GET",
          `/jobs?tag=list&limit=2&sort=${sort}${cursor && `&cursor=${cursor}`}`,
        );
        expect(status).toBe(200);
        seen.push(...body.items.map((job: { name: string }) => job.name));
        cursor = body.nextCursor;
      } while (cursor !== null);
      return seen.map((text) => text.slice(5)).join("");
    };
    expect(await names("created")).toBe("0123456");
    expect(await names("-created")).toBe("6543210");
    expect(await names("name")).toBe("0123456");
    expect(await names("-name")).toBe("6543210");
    expect(await names("nextFireAt")).toBe("1356420");
    expect(await names("-nextFireAt")).toBe("5316420");
  });

  test("filters by state, tag, text and source", async () => {
    const tag = "filtered";
    await api.request("POST", "/jobs", {
      body: { name: "filter-a", description: "Sends the Weekly Digest", tags: [tag], target: ECHO },
    });
    await api.request("POST", "/jobs", {
      body: { name: "filter-b", tags: [tag, "second"], target: ECHO, paused: true },
    });
    const names = async (query: string) => {
      const { body } = await api.request("GET", `/jobs?tag=${tag}&${query}`);
      return body.items.map((job: { name: string }) => job.name);
    };
    expect(await names("")).toEqual(["filter-b", "filter-a"]);
    expect(await names("state=paused")).toEqual(["filter-b"]);
    expect(await names("state=paused,active")).toEqual(["filter-b", "filter-a"]);
    expect(await names("state=deleted")).toEqual([]);
    expect(await names("q=weekly%20DIG")).toEqual(["filter-a"]);
    expect(await names("q=TER-B")).toEqual(["filter-b"]);
    expect(await names("q=%25")).toEqual([]);
    expect(await names("source=file.yaml")).toEqual([]);
    expect(await names("include=lastExecutions")).toHaveLength(2);
  });

  test("a cursor of another order is refused", async () => {
    const { body } = await api.request("GET", "/jobs?limit=1&sort=name");
    const other = await api.request("GET", `/jobs?limit=1&sort=created&cursor=${body.nextCursor}`);
    expect([other.status, other.body.error.code]).toEqual([400, "invalid_cursor"]);
    expect((await api.request("GET", "/jobs?cursor=nonsense")).body.error.code).toBe("invalid_cursor");
  });
});

test("another project's jobs are not there", async () => {
  const { body: job } = await api.request("POST", "/jobs", { body: { name: name(), target: ECHO } });
  for (const [method, path, body] of [
    ["GET", `/jobs/${job.id}`],
    ["GET", `/jobs/${job.name}`],
    ["PATCH", `/jobs/${job.id}`, { priority: 1 }],
    ["PUT", `/jobs/${job.id}`, { target: ECHO }],
    ["DELETE", `/jobs/${job.id}`],
    ["POST", `/jobs/${job.id}/trigger`, {}],
    ["POST", `/jobs/${job.id}/pause`, {}],
    ["GET", `/jobs/${job.id}/versions`],
    ["GET", `/jobs/${job.id}/executions`],
    ["GET", `/jobs/${job.id}/stats`],
  ] as const)
    expect([method, path, (await api.request(method, path, { body, key: STRANGER_KEY })).status]).toEqual([
      method,
      path,
      404,
    ]);
});

test("a key that may only read may only read", async () => {
  expect((await api.request("GET", "/jobs", { key: READ_KEY })).status).toBe(200);
  const refused = await api.request("POST", "/jobs", { body: { name: name(), target: ECHO }, key: READ_KEY });
  expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"]);
  expect((await api.request("GET", "/nodes", { key: READ_KEY })).status).toBe(403);
});
