// Links that let the first people in. There is no password to begin with: whoever starts Punctual gets a link that works once.

import { untilForgotten } from "../api/brief-memory.ts";
import { OPERATORS_LINK, OPERATORS_SHUT_OUT } from "../api/rules.ts";
import { linkTo } from "../api/sign-in-links.ts";
import { makeToken, tokenHash } from "../core/one-time-token.ts";
import type { AccountRecord } from "../store/port/accounts.ts";
import type { Store } from "../store/port.ts";

const LINK_MS = 24 * 3_600_000;
/** Whoever runs `dev` at this machine. Has no password, and needs none: each start has a link. */
const DEVELOPER = { email: "dev@localhost", name: "dev", instanceAdmin: true, createdBy: "dev" };

/** Where the first admin chooses a password; null once an admin can sign in. Each start makes one: the last one's log may be gone. */
export async function setupLink(store: Store, url: string): Promise<string | null> {
  if (!(await store.accounts.needsSetup())) return null;
  return await makeLink(store, url, { kind: "setup", accountId: null });
}

export async function developerLink(store: Store, url: string): Promise<string> {
  const { id } = await store.accounts.ensure(DEVELOPER);
  return await makeLink(store, url, { kind: "sign_in", accountId: id });
}

/** For an operator: lets somebody choose a password, who then is an instance admin if asked for. */
export async function passwordLink(
  store: Store,
  url: string,
  who: { email: string; instanceAdmin: boolean },
): Promise<{ link: string; made: boolean }> {
  const { email, instanceAdmin } = who;
  const name = email.split("@")[0]!;
  const account = await store.accounts.ensure({ email, name, instanceAdmin, createdBy: "operator" });
  if (instanceAdmin && !account.instanceAdmin) await store.accounts.makeInstanceAdmin(account.id);
  const link = await makeLink(store, url, { kind: "password", accountId: account.id });
  await told(store, OPERATORS_LINK, account, {
    before: account.made ? null : { instanceAdmin: account.instanceAdmin },
    after: { instanceAdmin: instanceAdmin || account.instanceAdmin },
  });
  return { link, made: account.made };
}

/** For an operator: takes everything from somebody, on all nodes within a moment. False: there is nobody of that address. */
export async function shutOut(store: Store, email: string): Promise<boolean> {
  const account = await store.accounts.findByEmail(email);
  if (account === null) return false;
  await store.atomically(async (inside) => {
    await inside.accounts.shutOut(account.id);
    await told(inside, OPERATORS_SHUT_OUT, account, { before: { instanceAdmin: account.instanceAdmin }, after: null });
  });
  await untilForgotten();
  return true;
}

async function told(
  store: Store,
  action: string,
  { id, email }: AccountRecord,
  change: { before: object | null; after: object | null },
): Promise<void> {
  const actor = { kind: "nobody" as const, id: "", name: "operator" };
  const object = { kind: "account", id, name: email };
  await store.audit.add([{ projectId: null, action, actor, object, ...change, address: null, requestId: null }]);
}

async function makeLink(
  store: Store,
  url: string,
  { kind, accountId }: { kind: "setup" | "password" | "sign_in"; accountId: string | null },
): Promise<string> {
  const token = makeToken();
  await store.accounts.addLink({ hash: tokenHash(token), kind, accountId, lifeMs: LINK_MS });
  return linkTo(url, kind, token);
}
