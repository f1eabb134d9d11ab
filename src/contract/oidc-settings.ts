import type { Settings } from "./settings.ts";

/** Who vouches for people, and as whom this instance is known there. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Null for a client that can keep no secret: PKCE alone proves then that the code is ours. */
  clientSecret: string | null;
  /** How browsers reach this instance: the provider sends them back here. */
  publicUrl: string;
}

interface Problem {
  name: keyof Settings;
  message: string;
}

/** Null where people do not sign in through a provider. */
export function oidcSettings(settings: Settings): OidcSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, publicUrl } = settings;
  if (issuer === null || clientId === null || publicUrl === null) return null;
  return { issuer, clientId, clientSecret, publicUrl };
}

/** What does not fit together. */
export function oidcProblems({ oidcIssuer, oidcClientId, oidcClientSecret, publicUrl }: Settings): Problem[] {
  if (oidcIssuer === null && oidcClientId === null && oidcClientSecret === null) return [];
  const found: Problem[] = [];
  if (oidcIssuer === null)
    found.push({ name: "oidcIssuer", message: "is not set: nobody knows which provider the others are for" });
  if (oidcClientId === null)
    found.push({
      name: "oidcClientId",
      message: "is not set; register this instance at the provider, which gives one",
    });
  if (publicUrl === null)
    found.push({
      name: "publicUrl",
      message:
        "is not set: the provider has to be told where people come back to, such as https://punctual.example.com",
    });
  return found;
}
