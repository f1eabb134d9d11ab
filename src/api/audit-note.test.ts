import { expect, test } from "vitest";
import { auditEntry, type Noted } from "./audit-note.ts";

const CIRCUMSTANCES = {
  actor: { kind: "session" as const, id: "a", name: "ann@example.com", scopes: ["admin"] },
  projectId: "p",
  address: "10.1.2.3",
  requestId: "r",
};

function entry(noted: Partial<Noted>, circumstances = CIRCUMSTANCES) {
  return auditEntry("job.edit", { kind: "job", id: "j", ...noted }, circumstances);
}

test("a line has who, what, where and from where, and no more of the actor than that", () => {
  expect(entry({ name: "report", before: { n: 1 }, after: { n: 2 } })).toEqual({
    projectId: "p",
    action: "job.edit",
    actor: { kind: "session", id: "a", name: "ann@example.com" },
    object: { kind: "job", id: "j", name: "report" },
    before: { n: 1 },
    after: { n: 2 },
    address: "10.1.2.3",
    requestId: "r",
  });
});

test("what was noted of project and actor goes before what the request knows", () => {
  const ben = { kind: "session" as const, id: "b", name: "ben@example.com" };
  expect(entry({ projectId: null, actor: ben })).toMatchObject({ projectId: null, actor: ben });
  expect(entry({ projectId: "q" })).toMatchObject({ projectId: "q" });
  expect(entry({}, { ...CIRCUMSTANCES, projectId: "" })).toMatchObject({ projectId: null, before: null, after: null });
});

test("what could be a secret is hidden, by its name and whatever its form", () => {
  const secret = {
    password: "x",
    "X-API-Key": "x",
    apiKey: 5,
    deep: [{ Authorization: ["x"], private_key: { of: "x" } }],
    cookies: "x",
    clientSecret: "x",
    accessToken: "x",
    nothing: { token: null },
    plain: "y",
  };
  expect(entry({ after: secret }).after).toEqual({
    password: "[hidden]",
    "X-API-Key": "[hidden]",
    apiKey: "[hidden]",
    deep: [{ Authorization: "[hidden]", private_key: "[hidden]" }],
    cookies: "[hidden]",
    clientSecret: "[hidden]",
    accessToken: "[hidden]",
    nothing: { token: null },
    plain: "y",
  });
});

test("what is too long is left out, and it is said how long it was", () => {
  const { before, after } = entry({ before: { text: "x".repeat(16_000) }, after: { text: "é".repeat(16_000) } });
  expect(before).toEqual({ text: "x".repeat(16_000) });
  expect(after).toEqual({ text: "[32002 bytes left out]" });
});

test("what is large does not hide what is small beside it", () => {
  const ids = Array.from({ length: 2_000 }, (_, n) => `0198a0b0-0000-7000-8000-${String(n).padStart(12, "0")}`);
  const { before, after } = entry({
    before: { action: "delete", ids, changed: 2_000 },
    after: { payload: { filler: "x".repeat(200_000) }, target: { url: "https://elsewhere.example/" } },
  });
  expect(before).toMatchObject({ action: "delete", changed: 2_000 });
  const kept = (before as { ids: string[] }).ids;
  expect(kept.slice(0, -1)).toEqual(ids.slice(0, kept.length - 1));
  expect(kept.at(-1)).toBe(`[${2_000 - (kept.length - 1)} more left out]`);
  expect(after).toEqual({
    payload: { filler: "[200002 bytes left out]" },
    target: { url: "https://elsewhere.example/" },
  });
  for (const each of [before, after]) expect(JSON.stringify(each).length).toBeLessThan(16_384 + 200);
});
