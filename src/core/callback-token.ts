/**
 * The token in a callback's URL: the execution and the claim of the attempt it was made for, nothing else. The claim is
 * random and known to nobody but its holder, so the token is its own authority, and ends with the attempt.
 */
export function callbackToken(executionId: string, claim: string): string {
  return Buffer.from((executionId + claim).replaceAll("-", ""), "hex").toString("base64url");
}

export function parseCallbackToken(token: string): { executionId: string; claim: string } | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== 32 || bytes.toString("base64url") !== token) return null;
  return { executionId: uuidOf(bytes.subarray(0, 16)), claim: uuidOf(bytes.subarray(16)) };
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
