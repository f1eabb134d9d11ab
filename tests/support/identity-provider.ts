// A small OpenID provider: discovery, the code flow with PKCE, signed id tokens. It is as strict as a good one (a code is good
// once, for its client, redirect address and verifier), and lies only where a test asks it to.

import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWTPayload, SignJWT } from "jose";

export interface Person {
  sub: string;
  email?: string | undefined;
  email_verified?: unknown;
}

export interface IdentityProvider {
  url: string;
  /** Who is at the browser. */
  person: Person;
  /** What was asked of it, oldest first. */
  asked: string[];
  /** How it lies; empty: not at all. */
  lies: Lies;
  close(): Promise<void>;
}

export interface Lies {
  claims?: (claims: JWTPayload) => JWTPayload;
  /** Signs with a key that nobody was told of. */
  foreignKey?: boolean;
  /** Takes a code as often as it comes. */
  takesCodesAgain?: boolean;
  /** Tells the address only when asked for it. */
  addressOnRequest?: boolean;
  /** Answers with this instead of a code. */
  error?: string;
  /** Says that somebody else answered. */
  iss?: string;
  /** How clients prove themselves; in the header unless said otherwise. */
  client?: ClientProof;
  /** Of the page with its addresses. */
  metadata?: Record<string, unknown>;
  /** Answers 500, to these paths. */
  broken?: string[];
}

type ClientProof = "client_secret_basic" | "client_secret_post" | "none";

export const CLIENT = { id: "punctual", secret: "s3cret of the client" };

interface Grant {
  redirectUri: string;
  challenge: string;
  nonce: string;
  person: Person;
}

export async function startIdentityProvider(port = 0): Promise<IdentityProvider> {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const person = { sub: "1", email: "ann@example.com", email_verified: true };
  const state = { url, person, asked: [], lies: {} } as Omit<IdentityProvider, "close">;
  const codes = new Map<string, Grant>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url!, url);
    state.asked.push(at.pathname);
    const say = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (state.lies.broken?.includes(at.pathname)) return void say(500, {});
    if (at.pathname === "/.well-known/openid-configuration")
      return void say(200, { ...metadata(url, state.lies), ...state.lies.metadata });
    if (at.pathname === "/jwks") return void say(200, { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1" }] });
    if (at.pathname === "/authorize")
      return void response.writeHead(302, { location: authorize(at.searchParams) }).end();
    if (at.pathname === "/userinfo") return void say(200, state.person);
    if (at.pathname !== "/token") return void say(404, {});
    const grant = redeem(request, new URLSearchParams(await textOf(request)));
    if (typeof grant === "string") return void say(400, { error: grant });
    const token = await idToken(grant, state, keys.privateKey);
    return void say(200, { access_token: randomUUID(), token_type: "bearer", expires_in: 60, id_token: token });
  }

  /** Whoever is there agrees at once. */
  function authorize(query: URLSearchParams): string {
    const asked = Object.fromEntries(query);
    const wanted = { client_id: CLIENT.id, response_type: "code", code_challenge_method: "S256" };
    for (const [name, value] of Object.entries(wanted))
      if (asked[name] !== value) throw new Error(`${name} is ${asked[name]}, not ${value}`);
    const back = new URL(asked.redirect_uri!);
    back.searchParams.set("state", asked.state!);
    const { error, iss } = state.lies;
    if (iss !== undefined) back.searchParams.set("iss", iss);
    if (error !== undefined) back.searchParams.set("error", error);
    else back.searchParams.set("code", issue(asked as Record<string, string>));
    return back.href;
  }

  function issue(asked: Record<string, string>): string {
    const code = randomUUID();
    const { redirect_uri: redirectUri = "", code_challenge: challenge = "", nonce = "" } = asked;
    codes.set(code, { redirectUri, challenge, nonce, person: state.person });
    return code;
  }

  function redeem({ headers }: IncomingMessage, form: URLSearchParams): Grant | string {
    if (!isClient(state.lies.client ?? "client_secret_basic", headers.authorization, form)) return "invalid_client";
    const code = form.get("code") ?? "";
    const grant = codes.get(code);
    if (!state.lies.takesCodesAgain) codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) return "invalid_grant";
    return grant;
  }

  server.on("error", () => {});
  return Object.assign(state, {
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

function metadata(url: string, { client }: Lies): Record<string, unknown> {
  return {
    ...(client === undefined ? {} : { token_endpoint_auth_methods_supported: [client] }),
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    userinfo_endpoint: `${url}/userinfo`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
  };
}

async function idToken(grant: Grant, { url, lies }: { url: string; lies: Lies }, key: KeyObject): Promise<string> {
  const { sub, ...told } = grant.person;
  const now = Math.floor(Date.now() / 1_000);
  const about = { iss: url, aud: CLIENT.id, sub, nonce: grant.nonce, iat: now, exp: now + 60 };
  const claims = { ...about, ...(lies.addressOnRequest ? {} : told) };
  const signed = new SignJWT(lies.claims?.(claims) ?? claims).setProtectedHeader({ alg: "RS256", kid: "1" });
  return await signed.sign(lies.foreignKey ? generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey : key);
}

/** Whether it proves itself as it is registered, and in no other way. */
function isClient(how: ClientProof, authorization: string | undefined, form: URLSearchParams): boolean {
  const basic = `Basic ${Buffer.from(`${CLIENT.id}:${form8(CLIENT.secret)}`).toString("base64")}`;
  const secret = form.get("client_secret");
  if (how === "client_secret_basic") return authorization === basic && secret === null;
  const named = authorization === undefined && form.get("client_id") === CLIENT.id;
  return named && secret === (how === "none" ? null : CLIENT.secret);
}

/** As forms are encoded. */
function form8(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}
