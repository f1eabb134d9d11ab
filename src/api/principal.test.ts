import { expect, test } from "vitest";
import { SCOPES, type Scope } from "../contract/api-key.ts";
import { demand, fixedKeys, may, type Principal } from "./principal.ts";

function having(...scopes: Scope[]): Principal {
  return { name: "someone", projectId: "p", projectName: "default", scopes, instanceAdmin: false };
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
  const authenticate = fixedKeys([
    { token: "first-key", principal: having("read") },
    { token: "second-key", principal: having("write") },
  ]);
  expect(await authenticate("second-key")).toMatchObject({ scopes: ["write"] });
  for (const token of ["", "first-ke", "first-key ", "FIRST-KEY"]) expect(await authenticate(token)).toBeNull();
});
