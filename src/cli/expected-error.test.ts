import { createServer } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { ExpectedError, explain } from "./expected-error.ts";

const WHERE = { host: "127.0.0.1", port: 7420, databaseUrl: "postgres://me:s3cret@db:5432/punctual" };

test("a port that is taken is named, with the way out", async () => {
  const first = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void first.close());
  await new Promise((resolve) => first.once("listening", resolve));
  const { port } = first.address() as { port: number };
  const error = await new Promise((resolve) => createServer().listen(port, "127.0.0.1").once("error", resolve));
  expect(explain(error, { ...WHERE, port })).toBe(
    `Port ${port} on 127.0.0.1 is taken, perhaps by another Punctual. Stop that program, or choose another port: --port ${port + 1}`,
  );
});

test.each([
  ["postgres://me:s3cret@127.0.0.1:1/punctual", "nothing listens there"],
  ["postgres://me:s3cret@localhost:1/punctual", "nothing listens there"],
  ["postgres://me:s3cret@no-such-host.invalid/punctual", /no such host|cannot be looked up/],
  ["postgres://me:s3cret@/punctual?host=/no/such/folder", "there is no such socket"],
])("a database that cannot be reached at %s is named without its password", async (databaseUrl, why) => {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  const error = await client.connect().catch((cause: unknown) => cause);
  const sentence = explain(new Error("cannot start", { cause: error }), { ...WHERE, databaseUrl });
  expect(sentence).toMatch(/^The database at postgres:\/\/me:\[hidden\]@/);
  expect(sentence).toMatch(why);
  expect(sentence).not.toContain("s3cret");
});

test("a database that never answers is named too", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  const databaseUrl = `postgres://me:s3cret@127.0.0.1:${port}/punctual`;
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 100 });
  const error = await client.connect().catch((cause: unknown) => cause);
  expect(explain(error, { ...WHERE, databaseUrl })).toContain("it does not answer");
});

test.each([
  ["28P01", /does not accept the password/],
  ["3D000", /has no such database. Create it first/],
  ["42501", /Grant it CREATE/],
  ["25006", /Name the primary/],
])("what the database refuses with %s is explained", (code, expected) => {
  const cause = Object.assign(new Error("as the server says it"), { code });
  expect(explain(new Error("migration 0001 failed", { cause }), WHERE)).toMatch(expected);
});

test("errors made for people are told as they are", () => {
  expect(explain(new ExpectedError("Do this instead."), WHERE)).toBe("Do this instead.");
  expect(explain(Object.assign(new Error("No binaries."), { code: "embedded_no_binaries" }), WHERE)).toBe(
    "No binaries.",
  );
});

test("a mistake in the program is not explained away", () => {
  expect(explain(new TypeError("x is not a function"), WHERE)).toBeNull();
  expect(explain("text", WHERE)).toBeNull();
  expect(explain(Object.assign(new Error("read"), { code: "ENOENT", syscall: "open" }), WHERE)).toBeNull();
});
