// What can go wrong without anybody having made a mistake in the program: told in a sentence that names the place and the
// way out, without a stack. Everything else is a bug and shows where it happened.

import { withoutPassword } from "../contract/setting-values.ts";
import type { Settings } from "../contract/settings.ts";

export class ExpectedError extends Error {
  override readonly name = "ExpectedError";
}

type Where = Pick<Settings, "host" | "port"> & { databaseUrl: string | null };

interface SystemError {
  code?: string;
  syscall?: string;
  message: string;
  cause?: unknown;
}

/** The sentence for an error that was to be expected, or null for one that was not. */
export function explain(error: unknown, where: Where): string | null {
  for (const seen of chain(error)) {
    if (seen instanceof ExpectedError || isEmbeddedError(seen)) return seen.message;
    const said = explainListening(seen, where) ?? explainDatabase(seen, where) ?? explainFile(seen);
    if (said !== null) return said;
  }
  return null;
}

function explainListening({ code, syscall }: SystemError, { host, port }: Where): string | null {
  if (syscall !== "listen" && syscall !== "bind") return null;
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is taken, perhaps by another Punctual. Stop that program, or choose another port: --port ${port + 1}`;
  if (code === "EACCES") return `Port ${port} needs rights that this user has not. Choose one above 1023: --port 7420`;
  if (code === "EADDRNOTAVAIL")
    return `This machine has no address ${host}. Use 127.0.0.1, or 0.0.0.0 for all: --host 0.0.0.0`;
  return null;
}

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name cannot be looked up at the moment",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ETIMEDOUT: "it does not answer",
  ECONNRESET: "it closed the connection",
  ENOENT: "there is no such socket",
  "57P03": "it is starting up or shutting down",
  "53300": "it has no connection left",
};

const REFUSED: Record<string, string> = {
  "28P01": "does not accept the password. Correct it in PUNCTUAL_DATABASE_URL",
  "28000": "does not let this user in. Check the user and pg_hba.conf",
  "3D000": "has no such database. Create it first: createdb punctual",
  "42501": "does not let this user do that. Grant it CREATE on the database",
  "25006": "can only be read (a standby?). Name the primary",
};

function explainDatabase(error: SystemError, { databaseUrl }: Where): string | null {
  if (databaseUrl === null) return null;
  const place = `The database at ${withoutPassword(databaseUrl)}`;
  const refused = REFUSED[error.code ?? ""];
  if (refused !== undefined) return `${place} ${refused}. (${error.message})`;
  const connecting = error.syscall === undefined || /^(connect|getaddrinfo|read)/.test(error.syscall);
  const unreachable = connecting ? UNREACHABLE[error.code ?? ""] : undefined;
  if (unreachable !== undefined)
    return `${place} cannot be reached: ${unreachable}. Is it running, and is the URL right?`;
  if (/^(timeout expired|Connection terminated)/.test(error.message))
    return `${place} cannot be reached: it does not answer. Is it running, and is the URL right?`;
  return null;
}

function explainFile({ code, syscall, message }: SystemError): string | null {
  if (syscall === undefined || !["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR"].includes(code ?? "")) return null;
  return `A file cannot be written or read: ${message}. Check its owner, or name another folder: --data-dir`;
}

/** Its class lives with the database, out of reach from here; its code says what it is. */
function isEmbeddedError(error: SystemError): boolean {
  return error.code?.startsWith("embedded_") ?? false;
}

function* chain(error: unknown): Generator<SystemError> {
  const CAUSES_MAX = 10;
  let seen = error;
  for (let i = 0; i < CAUSES_MAX && seen instanceof Error; i++) {
    yield seen;
    seen = seen.cause;
  }
}
