import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { contextsFile, saveContext, useContext } from "./contexts.ts";
import { remoteOf } from "./remote.ts";

const LOCAL = { url: "http://127.0.0.1:7420", apiKey: "local-key" };
const PRODUCTION = { url: "https://p.example.com", apiKey: "production-key", project: "billing" };

function home({ contexts = true } = {}): NodeJS.ProcessEnv {
  const folder = mkdtempSync(`${tmpdir()}/punctual-remote-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const environment = { XDG_CONFIG_HOME: folder };
  if (contexts) {
    saveContext("local", LOCAL, contextsFile(environment));
    saveContext("production", PRODUCTION, contextsFile(environment));
  }
  return environment;
}

test("without a word, the current context is talked to", () => {
  const environment = home();
  expect(remoteOf({}, environment)).toMatchObject({ ...LOCAL, project: null });
  useContext("production", contextsFile(environment));
  expect(remoteOf({}, environment)).toMatchObject(PRODUCTION);
  expect(remoteOf({}, environment).keyFrom).toContain('the context "production" in ');
});

test("a context that is named wins over the environment, with its own key", () => {
  const environment = { ...home(), PUNCTUAL_URL: "http://other:1", PUNCTUAL_API_KEY: "other" };
  expect(remoteOf({ context: "production" }, environment)).toMatchObject(PRODUCTION);
});

test("the environment wins over the current context", () => {
  const environment = { ...home(), PUNCTUAL_URL: "http://other:1/", PUNCTUAL_API_KEY: "other" };
  expect(remoteOf({}, environment)).toEqual({
    url: "http://other:1",
    apiKey: "other",
    project: null,
    urlFrom: "PUNCTUAL_URL",
    keyFrom: "PUNCTUAL_API_KEY",
  });
});

test("a key never goes to another address than the one it was kept for", () => {
  expect(() => remoteOf({ server: "https://stranger.example.com" }, home())).toThrow(
    "There is no key for https://stranger.example.com (from --server)",
  );
  expect(() => remoteOf({}, { ...home(), PUNCTUAL_URL: "https://stranger.example.com" })).toThrow("from PUNCTUAL_URL");
  expect(remoteOf({ server: "https://p.example.com/" }, home()).apiKey).toBe("production-key");
});

test("a project is named by the flag, the environment or the context", () => {
  expect(remoteOf({ context: "production" }, home()).project).toBe("billing");
  expect(remoteOf({ context: "production", project: "other" }, home()).project).toBe("other");
  expect(remoteOf({}, { ...home(), PUNCTUAL_PROJECT: "third" }).project).toBe("third");
});

test("with nothing to talk to, the ways to change that are told", () => {
  expect(() => remoteOf({}, home({ contexts: false }))).toThrow(/punctual dev(.|\n)*PUNCTUAL_URL/);
});

test("a context that is not there is told with those that are", () => {
  expect(() => remoteOf({ context: "staging" }, home())).toThrow(/no context "staging".*There is: local, production/);
});

test.each(["127.0.0.1:7420", "ftp://x", "not an address"])("%s is no address", (server) => {
  expect(() => remoteOf({ server }, { ...home(), PUNCTUAL_API_KEY: "k" })).toThrow("is no address");
});
