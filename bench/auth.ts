// What it costs to know who calls: the same triggers with each kind of credentials.

import { generateKeyPairSync, sign } from "node:crypto";
import type { Claim, Entry, Reading } from "./support/claim.ts";
import type { ServiceNode } from "./support/service-node.ts";
import { MEASURES, trigger, type Way } from "./trigger.ts";

const FIXED = "a key of the settings";
const KEPT = "a kept key, with a rate limit";
const TOKEN = "a token (RS256)";
const ISSUER = "https://issuer.example";
const AUDIENCE = "punctual-bench";

const ONE_BY_ONE = { count: 10_000, countQuick: 500, atOnce: 50, perRequest: 1 };

export const claim: Claim = {
  name: "auth",
  title: "Knowing who calls",
  about: `Triggers one by one, as above, by callers with different credentials. A key of the settings is compared with two hashes and asks nobody; a key that is kept in the database, and a token
that is checked by its signature, are what users have. Punctual is compared with itself.`,
  size: () => "10,000 one by one",
  measures: MEASURES,
  plots: [{ measure: "perSecond", title: "Triggers accepted per second, by credentials" }],
  entries: [
    entry(FIXED, {}),
    entry(KEPT, { environment: { PUNCTUAL_RATE_LIMIT: "100000000" }, credentials: keptKey }),
    tokenEntry(),
  ],
  goals: [KEPT, TOKEN].map((name) => ({
    text: `${name}: at least 0.9 × ${FIXED}`,
    atLeast: 0.9,
    value: (reading: Reading) => reading.of(name, "perSecond") / reading.of(FIXED, "perSecond"),
  })),
};

function entry(name: string, way: Partial<Way>): Entry {
  const settings = `${ONE_BY_ONE.atOnce} requests at once`;
  return { name, kind: "ours", settings, run: (stage) => trigger(stage, { ...ONE_BY_ONE, ...way }) };
}

async function keptKey({ client }: ServiceNode): Promise<{ key: string }> {
  const { key } = await client.apiKeys.create({ name: "bench", scopes: ["operate"] });
  return { key };
}

function tokenEntry(): Entry {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: "bench",
    exp: Math.floor(Date.now() / 1_000) + 6 * 3_600,
    punctual_projects: { default: "operator" },
  };
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  const token = `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
  const environment = {
    PUNCTUAL_JWT_PUBLIC_KEY: publicKey.export({ type: "spki", format: "pem" }).toString(),
    PUNCTUAL_JWT_ISSUER: ISSUER,
    PUNCTUAL_JWT_AUDIENCE: AUDIENCE,
  };
  return entry(TOKEN, { environment, credentials: async () => ({ key: token, project: "default" }) });
}
