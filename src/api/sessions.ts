// People who are signed in. What the cookie has is 256 random bits; the database has their hash, whose they are and when they
// end: by not being used, or at the latest after a fixed time. Revoking one works on all nodes when the call has
// returned, as with keys (brief-memory.ts); the same holds for a role that was taken away.

import { ROLE_SCOPES } from "../contract/account.ts";
import { SCOPES } from "../contract/api-key.ts";
import type { Me } from "../contract/me.ts";
import { makeToken, tokenHash } from "../core/one-time-token.ts";
import type { AccountRecord, PresentedSession } from "../store/port/accounts.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { BriefMemory } from "./brief-memory.ts";
import { meView } from "./me-view.ts";
import type { Authenticate, Grant, Identity } from "./principal.ts";
import { sessionCookie } from "./session-cookie.ts";
import { UseNotes } from "./use-notes.ts";

const USER_AGENT_MAX = 256;

export interface SessionOptions {
  monotonic: () => number;
  log: Log;
  idleMs: number;
  lifeMs: number;
  /** The instance is reached over https: the cookie never travels in the clear. */
  secure: boolean;
}

export class Sessions {
  readonly #store: Pick<Store, "sessions" | "projects">;
  readonly #memory: BriefMemory<PresentedSession | null>;
  readonly #use: UseNotes;
  readonly #options: SessionOptions;

  constructor(store: Pick<Store, "sessions" | "projects">, options: SessionOptions) {
    this.#store = store;
    this.#options = options;
    this.#memory = new BriefMemory(options.monotonic);
    this.#use = new UseNotes((ids) => store.sessions.noteUse(ids), { ...options, what: "session" });
  }

  readonly authenticate: Authenticate = async (token) => {
    const hash = tokenHash(token);
    const ask = () => this.#store.sessions.present(hash);
    const session = await this.#memory.recall(hash.toString("base64"), ask, (found) => found?.msLeft ?? null);
    return session && this.#identity(session);
  };

  /** A request was made with it. Only looking whether it is still good, as open streams do, is no use. */
  noteUse(id: string): void {
    this.#use.note(id);
  }

  /** Opens one; its cookie is told this once. In the store of the request, so that it is there if the rest is. */
  async open(
    store: Pick<Store, "sessions">,
    account: AccountRecord,
    from: { address: string; userAgent: string },
  ): Promise<{ id: string; cookie: string; me: Me }> {
    const token = makeToken();
    const hash = tokenHash(token);
    const { id } = await store.sessions.open({
      accountId: account.id,
      hash,
      idleMs: this.#options.idleMs,
      lifeMs: this.#options.lifeMs,
      address: from.address,
      userAgent: from.userAgent.slice(0, USER_AGENT_MAX),
    });
    const presented = await store.sessions.present(hash);
    const me = meView({ ...this.#identity(presented!), projectId: "", projectName: "", scopes: [] });
    return { id, cookie: sessionCookie(token, this.#options.lifeMs, this.#options), me };
  }

  /** What makes a browser forget. */
  endingCookie(): string {
    return sessionCookie("", 0, this.#options);
  }

  /** Writes down the last uses. */
  async close(): Promise<void> {
    await this.#use.close();
  }

  #identity({ id, account, memberships }: PresentedSession): Identity {
    const enter = async (called: string): Promise<Grant | null> => {
      const own = memberships.find(({ projectId, projectName }) => called === projectId || called === projectName);
      if (account.instanceAdmin) {
        const project = await this.#store.projects.find(called);
        return project && { projectId: project.id, projectName: project.name, scopes: SCOPES };
      }
      return own ? { projectId: own.projectId, projectName: own.projectName, scopes: ROLE_SCOPES[own.role] } : null;
    };
    const { email, instanceAdmin } = account;
    return {
      kind: "session",
      id: account.id,
      name: email,
      instanceAdmin,
      session: { id, memberships },
      home: null,
      enter,
    };
  }
}
