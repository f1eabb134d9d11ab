// What a sign-in through a provider needs when the browser comes back: its state, nonce and PKCE verifier. The browser keeps it
// itself, sealed, so that nothing has to be stored for people who never return, and any node can finish what another
// began. That it is this browser's is what makes a callback that somebody else sends it worth nothing.

import { parseCookie, stringifySetCookie } from "cookie";
import type { KeyRing } from "../core/keyring.ts";
import { OIDC_PATH } from "./oidc-provider.ts";

export interface OidcFlow {
  issuer: string;
  state: string;
  nonce: string;
  verifier: string;
}

const FLOW_MS = 10 * 60_000;
/** What is sealed for this is good for nothing else, and nothing else for this. */
const PURPOSE = "sign-in through a provider";

export interface OidcFlowOptions {
  keys: KeyRing;
  clock: () => Date;
  publicUrl: string;
}

export class OidcFlows {
  readonly #keys: KeyRing;
  readonly #clock: () => Date;
  readonly #secure: boolean;
  readonly #path: string;

  constructor({ keys, clock, publicUrl }: OidcFlowOptions) {
    const { protocol, pathname } = new URL(publicUrl);
    this.#keys = keys;
    this.#clock = clock;
    this.#secure = protocol === "https:";
    this.#path = `${pathname.replace(/\/$/, "")}${OIDC_PATH}`;
  }

  cookie(flow: OidcFlow): string {
    const until = this.#clock().getTime() + FLOW_MS;
    const { keyId, sealed } = this.#keys.seal(JSON.stringify({ ...flow, until }), PURPOSE);
    return this.#written(`${keyId}.${sealed.toString("base64url")}`, FLOW_MS);
  }

  /** Null for a browser that began nothing, began it too long ago, or brings what was not made here. */
  read(header: string | undefined): OidcFlow | null {
    const [keyId = "", sealed = ""] = parseCookie(header ?? "")[this.#name()]?.split(".") ?? [];
    try {
      const text = this.#keys.open({ keyId, sealed: Buffer.from(sealed, "base64url") }, PURPOSE);
      const { until, ...flow } = JSON.parse(text) as OidcFlow & { until: number };
      return this.#clock().getTime() < until ? flow : null;
    } catch {
      return null;
    }
  }

  /** What makes a browser forget. */
  endingCookie(): string {
    return this.#written("", 0);
  }

  /** Browsers take the prefix over https only. */
  #name(): string {
    return this.#secure ? "__Secure-punctual-oidc" : "punctual-oidc";
  }

  /** Lax: it has to come along when the provider sends the browser back here. */
  #written(value: string, lifeMs: number): string {
    return stringifySetCookie(this.#name(), value, {
      path: this.#path,
      httpOnly: true,
      sameSite: "lax",
      secure: this.#secure,
      maxAge: lifeMs / 1_000,
    });
  }
}
