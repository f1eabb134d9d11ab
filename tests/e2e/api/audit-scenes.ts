// For every route that stands in the audit: what to prepare, what to call, and what the line should say.

import { randomUUID } from "node:crypto";
import { claim, failed } from "../../support/store.ts";
import type { ApiServer, Reply, RequestOptions } from "./api-server.ts";
import { addPerson, by, PASSWORD, signIn } from "./people.ts";

export const ROOT = "root@example.com";
const TARGET = { type: "http", url: "https://target.example/" };

export interface Scene {
  path: string;
  body?: object;
  /** Somebody else than the instance admin in the project `default`. */
  as?: RequestOptions;
  actor?: { kind: string; id: string; name: string };
  object: { kind: string; id?: string; name?: string | null };
  /** Left out: null. */
  before?: object;
  after?: object;
  /** How many lines stand before it: of the things that it was done to. */
  linesBefore?: number;
}

export class Stage {
  readonly api: ApiServer;
  readonly root: RequestOptions & { headers: Record<string, string> };
  readonly rootId: string;
  #made = 0;

  private constructor(api: ApiServer, root: Stage["root"], rootId: string) {
    this.api = api;
    this.root = root;
    this.rootId = rootId;
  }

  static async set(api: ApiServer): Promise<Stage> {
    const { id } = await addPerson(api, ROOT, { instanceAdmin: true });
    return new Stage(api, by(await signIn(api, ROOT), "default"), id);
  }

  async make(method: string, path: string, body?: object): Promise<Reply["body"]> {
    const made = await this.api.request(method, path, { ...this.root, ...(body === undefined ? {} : { body }) });
    if (made.status >= 300) throw new Error(`${method} ${path}: ${made.text}`);
    return made.body;
  }

  name(): string {
    this.#made += 1;
    return `made-${this.#made}`;
  }

  async job(more: object = {}): Promise<{ id: string; name: string }> {
    return await this.make("POST", "/jobs", { name: this.name(), target: TARGET, ...more });
  }

  async waiting(): Promise<{ id: string; jobName: string }> {
    const { id } = await this.job();
    return await this.make("POST", `/jobs/${id}/trigger`, { delay: "1h" });
  }

  async failed(): Promise<{ id: string; jobName: string }> {
    const { id } = await this.job({ retry: { maxAttempts: 1 } });
    const execution = await this.make("POST", `/jobs/${id}/trigger`, {});
    const { store, nodeId } = this.api.database;
    const { claimed } = await claim(store, nodeId);
    await store.queue.settleFinal(claimed.map(failed));
    return execution;
  }

  async newcomer(): Promise<{ id: string; email: string; link: string }> {
    return await this.make("POST", "/members", { email: `${this.name()}@example.com`, role: "viewer" });
  }

  /** Somebody who is signed in. */
  async person(): Promise<{ actor: { kind: string; id: string; name: string }; as: RequestOptions }> {
    const email = `${this.name()}@example.com`;
    const { id } = await addPerson(this.api, email);
    return { actor: { kind: "session", id, name: email }, as: by(await signIn(this.api, email)) };
  }
}

export const SCENES: Record<string, (stage: Stage) => Promise<Scene>> = {
  "POST /jobs": async (stage) => {
    const name = stage.name();
    return { path: "/jobs", body: { name, target: TARGET }, object: { kind: "job", name }, after: { name } };
  },
  "PUT /jobs/:id": async (stage) => {
    const { id, name } = await stage.job({ priority: 10 });
    const change = { before: { priority: 10 }, after: { priority: 20 } };
    return {
      path: `/jobs/${name}`,
      body: { target: TARGET, priority: 20 },
      object: { kind: "job", id, name },
      ...change,
    };
  },
  "PATCH /jobs/:id": async (stage) => {
    const { id, name } = await stage.job({ priority: 10 });
    const change = { before: { priority: 10 }, after: { priority: 20 } };
    return { path: `/jobs/${id}`, body: { priority: 20 }, object: { kind: "job", id, name }, ...change };
  },
  "DELETE /jobs/:id": async (stage) => {
    const { id, name } = await stage.job();
    return { path: `/jobs/${id}`, object: { kind: "job", id, name }, before: { name } };
  },
  "POST /jobs/:id/pause": async (stage) => {
    const { id, name } = await stage.job();
    const body = { reason: "a reason", until: "2999-01-01T00:00:00.000Z" };
    return { path: `/jobs/${id}/pause`, body, object: { kind: "job", id, name }, after: { by: ROOT, ...body } };
  },
  "POST /jobs/:id/resume": async (stage) => {
    const { id, name } = await stage.job({ paused: true });
    return { path: `/jobs/${id}/resume`, object: { kind: "job", id, name } };
  },
  "POST /jobs/:id/trigger": async (stage) => {
    const { id, name } = await stage.job();
    const body = { delay: "1h" };
    return { path: `/jobs/${id}/trigger`, body, object: { kind: "job", id, name }, after: {} };
  },
  "POST /jobs/:id/versions/:n/restore": async (stage) => {
    const { id, name } = await stage.job({ priority: 10 });
    await stage.make("PATCH", `/jobs/${id}`, { priority: 20 });
    const change = { before: { priority: 20 }, after: { priority: 10 } };
    return { path: `/jobs/${id}/versions/1/restore`, object: { kind: "job", id, name }, ...change };
  },
  "POST /triggers": async (stage) => {
    const { name } = await stage.job();
    const body = { items: [{ job: name, delay: "1h" }] };
    return { path: "/triggers", body, object: { kind: "jobs", id: "" }, after: {} };
  },
  "POST /bulk/jobs": async (stage) => {
    const ids = [(await stage.job()).id, (await stage.job()).id];
    const after = { action: "pause", ids, changed: 2, failed: 0 };
    return {
      path: "/bulk/jobs",
      body: { action: "pause", ids },
      object: { kind: "jobs", id: "" },
      after,
      linesBefore: 2,
    };
  },
  "POST /bulk/executions": async (stage) => {
    const body = { action: "cancel", ids: [(await stage.waiting()).id] };
    return { path: "/bulk/executions", body, object: { kind: "executions", id: "" }, after: body };
  },
  "POST /targets/test": async () => ({
    path: "/targets/test",
    body: { target: TARGET },
    object: { kind: "target", id: TARGET.url },
    after: { outcome: "succeeded" },
  }),
  "POST /executions/:id/cancel": async (stage) => {
    const { id, jobName } = await stage.waiting();
    const object = { kind: "execution", id, name: jobName };
    return { path: `/executions/${id}/cancel`, object, after: { state: "cancelled" } };
  },
  "POST /executions/:id/retry": async (stage) => {
    const { id, jobName } = await stage.failed();
    return { path: `/executions/${id}/retry`, object: { kind: "execution", id, name: jobName }, after: {} };
  },
  "POST /dead-letters/retry": async (stage) => {
    const ids = [(await stage.failed()).id];
    return { path: "/dead-letters/retry", body: { ids }, object: { kind: "dead letters", id: "" }, after: { ids } };
  },
  "POST /dead-letters/discard": async (stage) => {
    const ids = [(await stage.failed()).id];
    return { path: "/dead-letters/discard", body: { ids }, object: { kind: "dead letters", id: "" }, after: { ids } };
  },
  "POST /workers/:id/drain": async (stage) => {
    const id = stage.name();
    await stage.make("PUT", `/workers/${id}`, { handlers: [{ name: "nothing" }] });
    return { path: `/workers/${id}/drain`, object: { kind: "worker", id } };
  },
  "PUT /secrets/:name": async () => {
    const name = `S${randomUUID().replaceAll("-", "")}`;
    const object = { kind: "secret", id: name, name };
    return { path: `/secrets/${name}`, body: { value: "canary-of-a-secret" }, object, after: { version: 1 } };
  },
  "DELETE /secrets/:name": async (stage) => {
    const name = `S${randomUUID().replaceAll("-", "")}`;
    await stage.make("PUT", `/secrets/${name}`, { value: "x" });
    return { path: `/secrets/${name}`, object: { kind: "secret", id: name, name } };
  },
  "POST /signing-keys": async (stage) => {
    const name = stage.name();
    return {
      path: "/signing-keys",
      body: { name, use: "named" },
      object: { kind: "signing key", name },
      after: { version: 1 },
    };
  },
  "GET /signing-keys/:id/secret": async (stage) => {
    const { id } = await stage.make("POST", "/signing-keys", { name: stage.name(), use: "named" });
    return { path: `/signing-keys/${id}/secret`, object: { kind: "signing key", id } };
  },
  "DELETE /signing-keys/:id": async (stage) => {
    const { id, name } = await stage.make("POST", "/signing-keys", { name: stage.name(), use: "named" });
    return { path: `/signing-keys/${id}`, object: { kind: "signing key", id, name }, after: { version: 1 } };
  },
  "POST /signing-keys/:id/rotate": async (stage) => {
    const { id, name } = await stage.make("POST", "/signing-keys", { name: stage.name(), use: "named" });
    const after = { version: 2, replaces: id, overlap: "1h" };
    return {
      path: `/signing-keys/${id}/rotate`,
      body: { overlap: "1h" },
      object: { kind: "signing key", name },
      after,
    };
  },
  "POST /api-keys": async (stage) => {
    const name = stage.name();
    const after = { name, scopes: ["read"], instanceAdmin: false, createdBy: ROOT };
    return { path: "/api-keys", body: { name, scopes: ["read"] }, object: { kind: "API key", name }, after };
  },
  "DELETE /api-keys/:id": async (stage) => {
    const { id, name } = await stage.make("POST", "/api-keys", { name: stage.name(), scopes: ["read"] });
    return { path: `/api-keys/${id}`, object: { kind: "API key", id, name }, after: { state: "revoked" } };
  },
  "POST /api-keys/:id/rotate": async (stage) => {
    const { id, name } = await stage.make("POST", "/api-keys", { name: stage.name(), scopes: ["read"] });
    return { path: `/api-keys/${id}/rotate`, object: { kind: "API key", name }, after: { replaces: id } };
  },
  "POST /members": async (stage) => {
    const email = `${stage.name()}@example.com`;
    const object = { kind: "member", name: email };
    return { path: "/members", body: { email, role: "editor" }, object, after: { role: "editor" } };
  },
  "PATCH /members/:id": async (stage) => {
    const { id, email } = await stage.newcomer();
    const change = { before: { role: "viewer" }, after: { role: "admin" } };
    return { path: `/members/${id}`, body: { role: "admin" }, object: { kind: "member", id, name: email }, ...change };
  },
  "DELETE /members/:id": async (stage) => {
    const { id, email } = await stage.newcomer();
    return { path: `/members/${id}`, object: { kind: "member", id, name: email }, before: { role: "viewer" } };
  },
  "POST /projects": async (stage) => {
    const name = stage.name();
    return { path: "/projects", body: { name }, object: { kind: "project", name }, after: { name } };
  },
  "PATCH /projects/:id": async (stage) => {
    const { id, name } = await stage.make("POST", "/projects", { name: stage.name() });
    const next = stage.name();
    const change = { before: { name }, after: { name: next } };
    return { path: `/projects/${id}`, body: { name: next }, object: { kind: "project", id, name: next }, ...change };
  },
  "DELETE /projects/:id": async (stage) => {
    const { id, name } = await stage.make("POST", "/projects", { name: stage.name() });
    return { path: `/projects/${id}`, object: { kind: "project", id, name }, after: { revokedKeys: 0 } };
  },
  "POST /me/password": async (stage) => {
    const who = await stage.person();
    const body = { current: PASSWORD, password: "another good password" };
    return { path: "/me/password", body, ...who, object: { kind: "account", id: who.actor.id, name: who.actor.name } };
  },
  "DELETE /sessions/:id": async (stage) => {
    const who = await stage.person();
    const { id } = (await stage.api.request("GET", "/sessions", who.as)).body.items[0];
    return { path: `/sessions/${id}`, ...who, object: { kind: "session", id, name: who.actor.name } };
  },
  "POST /auth/setup": async (stage) => {
    const { id, email, link } = await stage.newcomer();
    const body = { token: link.split("=")[1], password: "a password of one's own" };
    const actor = { kind: "session", id, name: email };
    return { path: "/auth/setup", body, as: { key: null }, actor, object: { kind: "session", name: email } };
  },
  "POST /auth/login": async (stage) => {
    const { actor } = await stage.person();
    const body = { email: actor.name, password: PASSWORD };
    return { path: "/auth/login", body, as: { key: null }, actor, object: { kind: "session", name: actor.name } };
  },
  "POST /auth/logout": async (stage) => {
    const who = await stage.person();
    return { path: "/auth/logout", ...who, object: { kind: "session", name: who.actor.name } };
  },
};
