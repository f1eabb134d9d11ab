// What went wrong with a command, for the person who called it: the server's own words with every detail, or why it
// could not be reached and what to do about it. Everything else is a bug and shows where it happened.

import { PunctualApiError, PunctualConnectionError } from "../client/errors.ts";
import { type Problem, PunctualError } from "../contract/errors.ts";
import { EXIT } from "./exit-code.ts";
import { ExpectedError } from "./expected-error.ts";
import { harmless } from "./output/text.ts";
import type { Remote } from "./remote.ts";
import { UsageError } from "./usage-error.ts";

export interface DescribedFailure {
  text: string;
  exitCode: number;
  /** The same for programs, in the API's form. */
  error: { code: string; message: string; details: Problem[]; requestId: string | null };
}

/** `remote` is null as long as the command has not asked whom to talk to. */
export function describeFailure(error: unknown, remote: Remote | null): DescribedFailure {
  if (error instanceof UsageError) return described(error.message, EXIT.usage, "usage");
  if (error instanceof ExpectedError) return described(error.message, EXIT.failed, "failed");
  if (error instanceof PunctualApiError) return describeRefusal(error, remote);
  if (error instanceof PunctualConnectionError && remote !== null)
    return described(describeUnreachable(error, remote), EXIT.failed, "unreachable");
  if (error instanceof PunctualError)
    return describeRefusal({ ...error, status: error.status, reason: error.message, requestId: null }, null);
  const stack = error instanceof Error ? error.stack : String(error);
  return described(`this should not have happened:\n${stack}`, EXIT.failed, "internal");
}

function described(text: string, exitCode: number, code: string): DescribedFailure {
  return { text, exitCode, error: { code, message: text, details: [], requestId: null } };
}

type Refusal = Pick<PunctualApiError, "status" | "code" | "reason" | "details" | "requestId">;

const EXIT_CODES: Readonly<Record<number, number>> = { 400: EXIT.usage, 404: EXIT.notFound };

function describeRefusal(refusal: Refusal, remote: Remote | null): DescribedFailure {
  const { status, code, reason, details, requestId } = refusal;
  const lines = [
    heading(reason, details),
    ...(details.length > 1 ? details.map((detail) => `  ${detail.path}: ${detail.message}${valueSeen(detail)}`) : []),
    ...advice(refusal, remote),
    ...(requestId === null ? [] : [`  (request ${requestId})`]),
  ];
  return {
    text: lines.map(harmless).join("\n"),
    exitCode: EXIT_CODES[status] ?? EXIT.failed,
    error: { code, message: reason, details, requestId },
  };
}

/** With several problems the heading counts them, because each has a line of its own below. */
function heading(reason: string, details: readonly Problem[]): string {
  if (details.length > 1) return `${details.length} things are wrong:`;
  return details.length === 1 ? `${reason}${valueSeen(details[0]!)}` : reason;
}

/** Messages mostly name the value already; it is not said twice. */
function valueSeen({ message, value }: Problem): string {
  if (value === undefined || message.includes(String(value))) return "";
  return ` (it is ${JSON.stringify(value)})`;
}

function advice({ status, code }: Refusal, remote: Remote | null): string[] {
  if (remote === null) return [];
  const { url, urlFrom, keyFrom, project } = remote;
  if (status === 401) return [`  The key comes from ${keyFrom}. Is it the right one for ${url}, and not revoked?`];
  if (status === 403)
    return [`  The key comes from ${keyFrom}. One that may do more is made with: punctual keys create`];
  if (code === "project_required") return ["  Name the project: --project <name>"];
  if (code === "unexpected_answer") return [`  Is ${url} (from ${urlFrom}) the address of a Punctual?`];
  return code === "not_found" && project !== null ? [`  (looked for in the project "${project}")`] : [];
}

const BAD_CERTIFICATE = "its certificate is not trusted (NODE_EXTRA_CA_CERTS names an authority of your own)";

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name cannot be looked up at the moment",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  DEPTH_ZERO_SELF_SIGNED_CERT: BAD_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: BAD_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: BAD_CERTIFICATE,
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS: perhaps http is meant instead of https",
};

function describeUnreachable(error: PunctualConnectionError, { url, urlFrom }: Remote): string {
  const known = [...causes(error)].map((cause) => UNREACHABLE[(cause as { code?: string }).code ?? ""]).find(Boolean);
  const why = known ?? error.message;
  const here = /^https?:\/\/(127\.|localhost|\[::1\])/.test(url);
  const remedy = here
    ? "Start it with: punctual dev"
    : "Is it running, and is the address right? Another one is named with --context or --server";
  return `Punctual at ${url} (from ${urlFrom}) cannot be reached: ${why}. ${remedy}`;
}

function* causes(error: unknown): Generator<Error> {
  const CAUSES_MAX = 10;
  let seen = error;
  for (let i = 0; i < CAUSES_MAX && seen instanceof Error; i++) {
    yield seen;
    // Where several addresses were tried, the first failure tells enough.
    seen = seen instanceof AggregateError ? seen.errors[0] : seen.cause;
  }
}
