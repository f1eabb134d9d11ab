import { createPublicKey } from "node:crypto";
import type { JwtAlgorithm } from "./jwt-settings.ts";

const FITTING: Record<string, readonly JwtAlgorithm[]> = {
  rsa: ["RS256", "PS256"],
  ec: ["ES256"],
  ed25519: ["EdDSA"],
};
/** What the algorithms ask for; shorter keys are refused when a token comes, which is too late to be told. */
const RSA_BITS_MIN = 2_048;
const CURVE = "prime256v1";

/** How tokens may be signed for this key to fit, the usual way first; or what is wrong with the key. */
export function fittingAlgorithms(pem: string): readonly JwtAlgorithm[] | { refused: string } {
  const key = parsed(pem);
  if (key === null) return { refused: "cannot be read as a public key" };
  const {
    asymmetricKeyType: type = "",
    asymmetricKeyDetails: { modulusLength = RSA_BITS_MIN, namedCurve = CURVE } = {},
  } = key;
  const fitting = FITTING[type];
  if (fitting === undefined) return { refused: `is a key of the type ${type}; tokens need RSA, EC or Ed25519` };
  if (modulusLength < RSA_BITS_MIN)
    return { refused: `has ${modulusLength} bits; tokens need ${RSA_BITS_MIN} or more` };
  if (namedCurve !== CURVE) return { refused: `is on the curve ${namedCurve}; tokens need P-256` };
  return fitting;
}

function parsed(pem: string): ReturnType<typeof createPublicKey> | null {
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}
