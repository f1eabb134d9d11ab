// Signing in and out. Passwords are compared outside transactions, for that takes long; what follows from it is written in
// one. Whether somebody has an account here is told to nobody: a wrong address and a wrong password look and last alike.

import type { z } from "zod";
import { loginSchema, setupSchema, waysSchema } from "../../contract/account.ts";
import { PunctualError } from "../../contract/errors.ts";
import { meSchema } from "../../contract/me.ts";
import { tokenHash } from "../../core/one-time-token.ts";
import { TooManyPasswords } from "../../core/password.ts";
import type { AccountRecord, AccountWithPassword, Link } from "../../store/port/accounts.ts";
import type { Store } from "../../store/port.ts";
import { untilForgotten } from "../brief-memory.ts";
import type { ApiDeps } from "../deps.ts";
import type { LoginLimits } from "../login-limits.ts";
import { openSession } from "../open-session.ts";
import { type Answer, type Call, PREFIX, type Route, route, SMALL_BODY_LIMIT } from "../route.ts";
import { REFUSED_SESSION } from "../rules.ts";
import { readSessionCookie } from "../session-cookie.ts";

type LoginCall = Call<unknown, unknown, z.infer<typeof loginSchema>>;
type SetupCall = Call<unknown, unknown, z.infer<typeof setupSchema>>;

const GROUP = "Signing in";
const SIGNED_IN = { description: "Signed in: the cookie is set.", schema: meSchema };

export function authRoutes(deps: ApiDeps, limits: LoginLimits): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/auth/ways`,
      group: GROUP,
      summary: "How one may sign in here",
      responses: { 200: { description: "The ways.", schema: waysSchema } },
      handler: async ({ store }) => {
        const setup = await store.accounts.needsSetup();
        return { status: 200, body: { password: true, oidc: deps.oidc !== null, setup } };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/auth/login`,
      group: GROUP,
      summary: "Sign in, with address and password or by a link that works once",
      body: loginSchema,
      bodyIsSecret: true,
      bodyLimit: SMALL_BODY_LIMIT,
      responses: { 200: SIGNED_IN },
      atomic: false,
      handler: (call) => login(deps, limits, call),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/auth/setup`,
      group: GROUP,
      summary: "Choose a password, by the set-up link or an invitation, and sign in",
      body: setupSchema,
      bodyIsSecret: true,
      bodyLimit: SMALL_BODY_LIMIT,
      responses: { 201: SIGNED_IN },
      atomic: false,
      handler: (call) => setUp(deps, call),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/auth/logout`,
      group: GROUP,
      summary: "Sign out",
      responses: { 204: { description: "Signed out, on all nodes." } },
      handler: (call) => logout(deps, call),
    }),
  ];
}

async function login(deps: ApiDeps, limits: LoginLimits, call: LoginCall): Promise<Answer> {
  const { body } = call;
  const known = "token" in body ? null : await byPassword(deps, limits, call, body);
  return await call.atomically(async (store) => {
    // Whoever changed the password meanwhile has shut out those who knew the old one, also one who is just coming in.
    if (known !== null && !(await store.accounts.holdPassword(known.id, known.password!))) throw wrong();
    const account = "token" in body ? await byLink(store, body.token) : known!;
    return await signedIn(deps, call, store, account, 200);
  });
}

async function byPassword(
  { passwords, log }: ApiDeps,
  limits: LoginLimits,
  call: LoginCall,
  { email, password }: { email: string; password: string },
): Promise<AccountWithPassword> {
  limits.attempt(call.address, email);
  const account = await call.store.accounts.findByEmail(email);
  const matches = await compared(() => passwords.matches(password, account?.password ?? null)).catch((error) => {
    // Nothing was compared, so nothing was guessed.
    limits.takeBack(call.address, email);
    throw error;
  });
  if (matches) {
    limits.succeeded(call.address, email);
    return account!;
  }
  log.warn("session.refused", { email, address: call.address, requestId: call.requestId });
  await call.tell(REFUSED_SESSION, { kind: "account", id: account?.id ?? "", name: email, projectId: null });
  throw wrong();
}

function wrong(): PunctualError {
  return new PunctualError("unauthenticated", "the address or the password is wrong");
}

async function byLink(store: Store, token: string): Promise<AccountRecord> {
  const link = await store.accounts.findLink(tokenHash(token));
  if (link?.kind !== "sign_in" || !(await store.accounts.takeLink(tokenHash(token)))) throw deadLink();
  return link.account;
}

async function setUp(deps: ApiDeps, call: SetupCall): Promise<Answer> {
  const { token, password } = call.body;
  const link = await call.store.accounts.findLink(tokenHash(token));
  if (link === null || link.kind === "sign_in") throw deadLink();
  const { email } = call.body;
  if (link.kind === "setup" && email === undefined)
    throw PunctualError.validation([
      { path: "email", code: "invalid_type", message: "is missing: the address that the first admin signs in with" },
    ]);
  const hash = await compared(() => deps.passwords.hash(password));
  return await call.atomically(async (store) => {
    if (!(await store.accounts.takeLink(tokenHash(token)))) throw deadLink();
    const account = await accountOf(store, link, { ...call.body, hash });
    const answer = await signedIn(deps, call, store, account, 201);
    call.beforeAnswer(untilForgotten);
    return answer;
  });
}

async function accountOf(
  store: Store,
  link: Link,
  { email = "", name, hash }: { email?: string | undefined; name?: string | undefined; hash: string },
): Promise<AccountRecord> {
  if (link.kind !== "setup") {
    await store.accounts.setPassword(link.account!.id, hash, { exceptSession: null });
    return link.account!;
  }
  const admin = await store.accounts.setUp({ email, name: name ?? email.split("@")[0]!, password: hash });
  if (admin === null) throw new PunctualError("wrong_state", "there is an admin already; ask them for an invitation");
  return admin;
}

async function signedIn(
  deps: ApiDeps,
  call: Call,
  store: Store,
  account: AccountRecord,
  status: number,
): Promise<Answer> {
  const { cookie, me } = await openSession(deps, call, store, account);
  return { status, body: me, headers: { "set-cookie": cookie, "cache-control": "no-store" } };
}

async function logout(deps: ApiDeps, call: Call): Promise<Answer> {
  const token = readSessionCookie(call.headers.cookie, deps.signIn);
  const session = token === null ? null : await call.store.sessions.present(tokenHash(token));
  if (session !== null) {
    const { id, account } = session;
    await call.store.sessions.revoke(account.id, id);
    const actor = { kind: "session" as const, id: account.id, name: account.email };
    call.note({ kind: "session", id, name: account.email, projectId: null, actor });
    call.beforeAnswer(untilForgotten);
  }
  return { status: 204, headers: { "set-cookie": deps.sessions.endingCookie() } };
}

/** Better a clear refusal than a queue of work that takes a fifth of a second each. */
export async function compared<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TooManyPasswords)) throw error;
    throw new PunctualError("unavailable", "too many people are signing in at this node; try again", { cause: error });
  }
}

function deadLink(): PunctualError {
  return new PunctualError(
    "unauthenticated",
    "the link was used, has expired or was cut off; an instance admin makes another with: punctual setup-link",
  );
}
