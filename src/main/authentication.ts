// How this node knows who calls: keys of the settings and of the database, tokens, people who are signed in.

import type { ApiDeps, OidcSignIn } from "../api/deps.ts";
import { OidcFlows } from "../api/oidc-flow.ts";
import { OidcProvider } from "../api/oidc-provider.ts";
import { anyWay, fixedKeys, type Identity, keyIdentity } from "../api/principal.ts";
import { Sessions } from "../api/sessions.ts";
import { StoredKeys } from "../api/stored-keys.ts";
import { tokens } from "../api/tokens.ts";
import { SCOPES } from "../contract/api-key.ts";
import { jwtSettings } from "../contract/jwt-settings.ts";
import { oidcSettings } from "../contract/oidc-settings.ts";
import { DEFAULT_PROJECT } from "../contract/project.ts";
import type { Settings } from "../contract/settings.ts";
import { KeyRing } from "../core/keyring.ts";
import { Passwords } from "../core/password.ts";
import type { Store } from "../store/port.ts";
import type { GuardedFetch } from "../targets/http/guarded-fetch.ts";
import type { Log } from "../telemetry/log.ts";
import { monotonic } from "./assembly.ts";

export interface Authentication {
  parts: Pick<ApiDeps, "authenticate" | "sessions" | "passwords" | "signIn" | "oidc">;
  /** Writes down when keys and sessions were last used. */
  close(): Promise<void>;
}

interface Needs {
  store: Store;
  log: Log;
  /** Through the egress guard. */
  fetch: GuardedFetch;
  /** The key that `dev` made. */
  devKey: string | undefined;
  /** How others reach this node. */
  url: () => string;
}

export function assembleAuthentication(settings: Settings, { store, log, fetch, devKey, url }: Needs): Authentication {
  const { publicUrl, sessionIdleMs: idleMs, sessionLifeMs: lifeMs } = settings;
  const secure = publicUrl?.startsWith("https:") ?? false;
  const storedKeys = new StoredKeys(store, { monotonic, log });
  const sessions = new Sessions(store, { monotonic, log, idleMs, lifeMs, secure });
  const jwt = jwtSettings(settings);
  const ways = [fixedKeys(keysOf(settings, devKey, store)), storedKeys.authenticate];
  if (jwt !== null) ways.push(tokens(jwt, { store, monotonic, fetch }));
  return {
    parts: {
      authenticate: anyWay(...ways),
      sessions,
      passwords: new Passwords(),
      signIn: { secure, publicUrl, url },
      oidc: oidcOf(settings, fetch),
    },
    close: async () => {
      await storedKeys.close();
      await sessions.close();
    },
  };
}

function keysOf(settings: Settings, devKey: string | undefined, store: Store): { token: string; identity: Identity }[] {
  const grant = { projectId: DEFAULT_PROJECT.id, projectName: DEFAULT_PROJECT.name, scopes: SCOPES };
  const identity = (name: string) =>
    keyIdentity({ id: name, name, instanceAdmin: true, grant }, (called) => store.projects.find(called));
  return [
    ...(settings.adminKey === null ? [] : [{ token: settings.adminKey, identity: identity("admin") }]),
    ...(devKey === undefined ? [] : [{ token: devKey, identity: identity("dev") }]),
  ];
}

function oidcOf(settings: Settings, fetch: GuardedFetch): OidcSignIn | null {
  const oidc = oidcSettings(settings);
  if (oidc === null) return null;
  const { publicUrl } = oidc;
  const keys = new KeyRing(settings.encryptionKeys);
  const flows = new OidcFlows({ keys, clock: () => new Date(), publicUrl });
  return { provider: new OidcProvider(oidc, { fetch, monotonic }), flows, publicUrl };
}
