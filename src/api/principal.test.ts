import { expect, test } from "vitest";
import { SCOPES, type Scope } from "../contract/api-key.ts";
import { demand, fixedKeys, keyIdentity, may, type Principal } from "./principal.ts";

function having(...scopes: Scope[]): Principal {
  const who = { kind: "key" as const, id: "k", name: "someone", instanceAdmin: false, session: null };
  return { ...who, projectId: "p", projectName: "default", scopes };
}

test("a scope includes what it needs, and no more", () => {
  const allowed = (scope: Scope) => SCOPES.filter((wanted) => may(having(scope), wanted));
  expect(allowed("read")).toEqual(["read"]);
  expect(allowed("operate")).toEqual(["read", "operate"]);
  expect(allowed("write")).toEqual(["read", "operate", "write"]);
  expect(allowed("work")).toEqual(["work"]);
  expect(allowed("metrics")).toEqual(["metrics"]);
  expect(allowed("admin")).toEqual([...SCOPES]);
  expect(may(having(...SCOPES), "instance")).toBe(false);
  expect(may({ ...having(), instanceAdmin: true }, "instance")).toBe(true);
  expect(() => demand(having("read"), "write")).toThrow('this needs the scope "write"; the key "someone" has "read"');
});

test("only the very key opens", async () => {
  const identity = (id: string) => {
    const grant = { projectId: "p", projectName: "default", scopes: [] };
    return keyIdentity({ id, name: id, instanceAdmin: false, grant }, async () => null);
  };
  const authenticate = fixedKeys([
    { token: "first-key", identity: identity("first") },
    { token: "second-key", identity: identity("second") },
  ]);
  expect(await authenticate("second-key")).toMatchObject({ id: "second" });
  for (const token of ["", "first-ke", "first-key ", "FIRST-KEY"]) expect(await authenticate(token)).toBeNull();
});

test("a key enters its own project, an instance admin's every one that there is", async () => {
  const grant = { projectId: "p", projectName: "home", scopes: ["read"] as const };
  const find = async (called: string) => (called === "other" ? { id: "o", name: "other" } : null);
  const plain = keyIdentity({ id: "k", name: "k", instanceAdmin: false, grant }, find);
  const admin = keyIdentity({ id: "k", name: "k", instanceAdmin: true, grant }, find);
  expect(await plain.enter("home")).toEqual(grant);
  expect(await plain.enter("other")).toBeNull();
  expect(await admin.enter("other")).toEqual({ projectId: "o", projectName: "other", scopes: ["read"] });
  expect(await admin.enter("nothing")).toBeNull();
});
