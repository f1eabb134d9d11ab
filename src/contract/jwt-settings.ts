import { fittingAlgorithms } from "./public-key.ts";
import type { Settings } from "./settings.ts";

export const JWT_ALGORITHMS = ["HS256", "RS256", "PS256", "ES256", "EdDSA"] as const;
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** What tokens are checked by. One of secret, public key and JWKS URL is there. */
export interface JwtSettings {
  secret: string | null;
  publicKey: string | null;
  jwksUrl: string | null;
  issuer: string;
  audience: string;
  /** Empty: what fits the key. */
  algorithms: readonly JwtAlgorithm[];
  projectsClaim: string;
  roleClaim: string;
}

interface Problem {
  name: keyof Settings;
  /** What would do as well. */
  or?: readonly (keyof Settings)[];
  message: string;
}

/** Null where tokens are not accepted. */
export function jwtSettings(settings: Settings): JwtSettings | null {
  const {
    jwtSecret: secret,
    jwtPublicKey: publicKey,
    jwtJwksUrl: jwksUrl,
    jwtIssuer: issuer,
    jwtAudience: audience,
  } = settings;
  if (issuer === null || audience === null || (secret ?? publicKey ?? jwksUrl) === null) return null;
  const { jwtProjectsClaim: projectsClaim, jwtRoleClaim: roleClaim } = settings;
  return { secret, publicKey, jwksUrl, issuer, audience, algorithms: settings.jwtAlgorithms, projectsClaim, roleClaim };
}

/** What does not fit together. */
export function jwtProblems(settings: Settings): Problem[] {
  const { jwtIssuer, jwtAudience, jwtAlgorithms } = settings;
  const keys = KEYS.filter((name) => settings[name] !== null);
  if (keys.length === 0 && jwtIssuer === null && jwtAudience === null && jwtAlgorithms.length === 0) return [];
  const found: Problem[] = [];
  if (jwtIssuer === null) found.push({ name: "jwtIssuer", message: "is not set: tokens of any issuer would be good" });
  if (jwtAudience === null)
    found.push({ name: "jwtAudience", message: "is not set: tokens that were made for other services would be good" });
  return [...found, ...(keys.length === 1 ? algorithmProblems(settings) : [keyProblem(keys)])];
}

const KEYS = ["jwtSecret", "jwtPublicKey", "jwtJwksUrl"] as const;

/** None, or more than one. */
function keyProblem([first]: readonly (typeof KEYS)[number][]): Problem {
  const all = "PUNCTUAL_JWT_SECRET, PUNCTUAL_JWT_PUBLIC_KEY and PUNCTUAL_JWT_JWKS_URL";
  return first === undefined
    ? { name: "jwtJwksUrl", or: KEYS, message: `is not set: tokens are checked with one of ${all}; set one` }
    : { name: first, message: `is set beside another key for tokens; set one of ${all}` };
}

function algorithmProblems(settings: Settings): Problem[] {
  const fitting = fittingTo(settings);
  const unfit = settings.jwtAlgorithms.filter((algorithm) => !fitting.includes(algorithm));
  if (unfit.length === 0) return [];
  const message = `names ${unfit.join(", ")}, which the key is not for; with it: ${fitting.join(", ")}`;
  return [{ name: "jwtAlgorithms", message }];
}

/** Of keys that are fetched anything but a shared secret may come. */
function fittingTo({ jwtSecret, jwtPublicKey }: Settings): readonly JwtAlgorithm[] {
  if (jwtSecret !== null) return ["HS256"];
  const fitting = jwtPublicKey === null ? null : fittingAlgorithms(jwtPublicKey);
  if (fitting === null || "refused" in fitting) return JWT_ALGORITHMS.filter((algorithm) => algorithm !== "HS256");
  return fitting;
}
