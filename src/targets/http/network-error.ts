// Network errors in words that help the owner of a job. The original texts name the addresses behind a name ("connect
// ECONNREFUSED 10.0.0.7:443"), which is the operator's business only, so just the code is taken over from them.

const WORDS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused; is the service running?",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed while the request was being sent",
  ETIMEDOUT: "the network gave up waiting for an answer",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  EADDRNOTAVAIL: "this machine has no free port or address for the connection",
  EMFILE: "this machine has too many open files",
  ENOTFOUND: "the name could not be found",
  EAI_AGAIN: "the name servers did not answer",
  EAI_FAIL: "the name servers answered with an error",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's chain ends in one that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's issuer is not known; is the intermediate certificate missing?",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's issuer is not known",
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another host",
};

export function describeNetworkError(error: unknown): string {
  const code = codeOf(error);
  if (code === null) return "the connection failed";
  const words = WORDS[code] ?? wordsForTls(code);
  return `${words} (${code})`;
}

function wordsForTls(code: string): string {
  return code.startsWith("ERR_SSL_") || code === "EPROTO" ? "TLS could not be agreed on" : "the connection failed";
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : null;
}
