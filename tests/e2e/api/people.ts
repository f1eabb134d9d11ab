// People and tokens for tests: accounts with passwords, their memberships, and how they come to a server.

import { SignJWT } from "jose";
import type { Authenticate } from "../../../src/api/principal.ts";
import { tokens } from "../../../src/api/tokens.ts";
import type { Role } from "../../../src/contract/account.ts";
import type { JwtSettings } from "../../../src/contract/jwt-settings.ts";
import type { AccountRecord } from "../../../src/store/port/accounts.ts";
import type { Store } from "../../../src/store/port.ts";
import type { ApiServer, Reply, RequestOptions } from "./api-server.ts";

export const PASSWORD = "correct horse battery staple";

/** Somebody with the password above, and with a part in these projects (by name). */
export async function addPerson(
  { database: { store }, deps }: ApiServer,
  email: string,
  { roles = {}, instanceAdmin = false }: { roles?: Record<string, Role>; instanceAdmin?: boolean } = {},
): Promise<AccountRecord> {
  const account = await store.accounts.ensure({ email, name: "", instanceAdmin, createdBy: "test" });
  const password = await deps.passwords.hash(PASSWORD);
  await store.accounts.setPassword(account.id, password, { exceptSession: null });
  for (const [project, role] of Object.entries(roles)) {
    const { id } = (await store.projects.find(project))!;
    await store.members.add(id, { accountId: account.id, role, actor: "test" });
  }
  return account;
}

export async function login(api: ApiServer, email: string, password = PASSWORD): Promise<Reply> {
  return await api.request("POST", "/auth/login", { key: null, body: { email, password } });
}

/** What a browser would send from then on. */
export async function signIn(api: ApiServer, email: string): Promise<string> {
  const answer = await login(api, email);
  if (answer.status !== 200) throw new Error(answer.text);
  return cookieOf(answer);
}

export function cookieOf({ headers }: Reply): string {
  return headers.get("set-cookie")!.split(";")[0]!;
}

/** With a cookie instead of a key. */
export function by(cookie: string, project?: string): RequestOptions & { headers: Record<string, string> } {
  return { key: null, headers: { cookie, ...(project === undefined ? {} : { "punctual-project": project }) } };
}

const ISSUED: JwtSettings = {
  secret: "a secret that the identity provider shares with us",
  publicKey: null,
  jwksUrl: null,
  issuer: "https://identity.example",
  audience: "punctual",
  algorithms: [],
  projectsClaim: "projects",
  roleClaim: "role",
};

/** The way of tokens; the store may come later. */
export function tokenWay(store: () => Store): Authenticate {
  const later = {
    get projects() {
      return store().projects;
    },
  };
  const fetch = () => Promise.reject(new Error("there are no keys to fetch"));
  return tokens(ISSUED, { store: later, monotonic: () => performance.now(), fetch });
}

/** A token that says what its bearer is in which project. */
export async function tokenFor(roles: Record<string, Role>, subject = "somebody"): Promise<string> {
  return await new SignJWT({ projects: roles })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(ISSUED.issuer)
    .setAudience(ISSUED.audience)
    .setSubject(subject)
    .setExpirationTime("1h")
    .sign(Buffer.from(ISSUED.secret!));
}
