// An identity provider that people sign in through (OpenID Connect, code flow with PKCE). What is promised: nobody is let in
// but by an answer that the provider signed, for this instance, for the very sign-in that this browser began. The provider is
// asked through the egress guard, and not before somebody wants to sign in: one that is down keeps no node from starting.

import * as client from "openid-client";
import { emailSchema } from "../contract/account.ts";
import { PunctualError } from "../contract/errors.ts";
import type { OidcSettings } from "../contract/oidc-settings.ts";
import { unstorableText } from "../contract/storable.ts";
import type { OidcFlow } from "./oidc-flow.ts";
import { PREFIX } from "./rules.ts";

export const OIDC_PATH = `${PREFIX}/auth/oidc`;
const SCOPE = "openid email";
const TIMEOUT_S = 10;
/** Then it is asked again where its endpoints are; its keys are looked after by the library. */
const KNOWN_MS = 3_600_000;
const SUBJECT_MAX = 255;

/** Why somebody was not let in, as their browser is told: words of ours, and nothing of what the provider said. */
export type SignInFailure =
  | "not_begun"
  | "access_denied"
  | "provider_error"
  | "provider_unavailable"
  | "invalid_answer"
  | "unverified_address"
  | "no_account";

/** Somebody as the provider vouches for them. */
export interface Vouched {
  issuer: string;
  subject: string;
  email: string;
}

export type Finish =
  | { kind: "vouched"; who: Vouched }
  | { kind: "refused"; failure: SignInFailure; email: string | null; cause: unknown };

export interface OidcDeps {
  /** Through the egress guard. */
  fetch: client.CustomFetch;
  monotonic: () => number;
}

export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #deps: OidcDeps;
  #known: { until: number; config: Promise<client.Configuration> } | null = null;

  constructor(settings: OidcSettings, deps: OidcDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** Where the browser goes, and what is needed when it comes back. */
  async begin(): Promise<{ url: string; flow: OidcFlow }> {
    const verifier = client.randomPKCECodeVerifier();
    const flow = {
      issuer: this.#settings.issuer,
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier,
    };
    const asked = {
      redirect_uri: this.#redirectUri(),
      scope: SCOPE,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    try {
      return { url: client.buildAuthorizationUrl(await this.#discovered(), asked).href, flow };
    } catch (cause) {
      const message = "the identity provider cannot be reached, or answers what no provider should; try again";
      throw new PunctualError("unavailable", message, { cause });
    }
  }

  /** Takes what the browser brought back. Whoever did not begin here does not finish here: the state says so. */
  async finish(brought: Readonly<Record<string, string>>, flow: OidcFlow): Promise<Finish> {
    if (brought.state !== flow.state || flow.issuer !== this.#settings.issuer)
      return refused("not_begun", new Error("the state is not that of this browser's sign-in"));
    try {
      return await this.#exchange(await this.#discovered(), brought, flow);
    } catch (error) {
      return refused(failureOf(error), error);
    }
  }

  async #exchange(
    config: client.Configuration,
    brought: Readonly<Record<string, string>>,
    { state, nonce, verifier }: OidcFlow,
  ): Promise<Finish> {
    const url = new URL(`${this.#redirectUri()}?${new URLSearchParams(brought)}`);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(config, url, checks);
    const claims = tokens.claims()!;
    // Some providers tell the address only when asked for it.
    const said =
      claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : claims;
    return judge({ issuer: claims.iss, subject: claims.sub, email: said.email, verified: said.email_verified });
  }

  /** Remembered while it is fresh; a failure is not, and whoever comes next asks again. */
  #discovered(): Promise<client.Configuration> {
    const now = this.#deps.monotonic();
    if (this.#known !== null && now < this.#known.until) return this.#known.config;
    const known = { until: now + KNOWN_MS, config: this.#discover() };
    this.#known = known;
    known.config.catch(() => {
      if (this.#known === known) this.#known = null;
    });
    return known.config;
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    // The settings allow http: on this machine only.
    const insecure = url.protocol === "http:" ? [client.allowInsecureRequests] : [];
    return client.discovery(url, clientId, {}, authentication(clientSecret), {
      [client.customFetch]: this.#deps.fetch,
      timeout: TIMEOUT_S,
      // The signature counts, although the token comes straight from the provider.
      execute: [...insecure, client.enableNonRepudiationChecks],
    });
  }

  #redirectUri(): string {
    return `${this.#settings.publicUrl}${OIDC_PATH}/callback`;
  }
}

/** In the header, as every provider must understand; in the body for those that say that they do not. */
function authentication(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: known = ["client_secret_basic"] } = server;
    return (known.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** Accounts are found by address the first time: one that nobody checked could be anybody's. */
function judge(said: { issuer: string; subject: string; email: unknown; verified: unknown }): Finish {
  const { issuer, subject, verified } = said;
  if (subject.length > SUBJECT_MAX || unstorableText(subject) !== null)
    return refused("invalid_answer", new Error("the subject cannot be kept"));
  const email = emailSchema.safeParse(said.email);
  if (!email.success) return refused("unverified_address", new Error("the provider told no address"));
  if (verified !== true)
    return {
      ...refused("unverified_address", new Error("the provider does not say email_verified")),
      email: email.data,
    };
  return { kind: "vouched", who: { issuer, subject, email: email.data } };
}

function failureOf(error: unknown): SignInFailure {
  const said = saidBy(error);
  if (said !== null) return said === "access_denied" ? "access_denied" : "provider_error";
  const { code } = error as { code?: unknown };
  const away = error instanceof TypeError || code === "OAUTH_TIMEOUT" || code === "OAUTH_RESPONSE_IS_NOT_CONFORM";
  return away ? "provider_unavailable" : "invalid_answer";
}

/** The code of an error that the provider answered with. What else it says could be anything, and is not repeated. */
function saidBy(error: unknown): string | null {
  if (error instanceof client.WWWAuthenticateChallengeError) return "unauthorized";
  if (!(error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)) return null;
  return /^[a-z_]{1,64}$/.test(error.error) ? error.error : "an_error_without_a_name";
}

function refused(failure: SignInFailure, cause: unknown): Finish & { kind: "refused" } {
  const said = saidBy(cause);
  return {
    kind: "refused",
    failure,
    email: null,
    cause: said === null ? cause : new Error(`it answered ${said}`, { cause }),
  };
}
