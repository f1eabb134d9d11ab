// One JSON line per event. The event's name is a field of its own (`execution.triggered`, `node.joined`), never a
// sentence, so that lines can be counted and searched; everything else is a field beside it.
//
// Secrets never: fields with a telling name are hidden at every level, of an error only its message, code, stack and
// causes are kept (libraries hang whole requests on theirs), and the password of a URL is cut wherever it stands in the line.

import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";

export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
  /** A log whose lines carry these fields too. */
  child(fields: object): Log;
}

type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface LogOptions {
  level: LogLevel;
  /** Where the lines go; standard error unless given. */
  stream?: { write(line: string): void };
  /** Which part of the program speaks. */
  name?: string;
}

const SECRET_FIELDS = new Set([
  ...["authorization", "cookie", "set-cookie", "password", "passwd", "signature"],
  ...["key", "keys", "apikey", "adminkey", "encryptionkey", "encryptionkeys", "signingkey"],
  ...["secret", "secrets", "token", "tokens"],
]);
/** Fields are searched for secrets this deep: an event, a request in it, the headers in that, a list in those. */
const DEPTH_MAX = 4;
const CAUSES_MAX = 5;

export function createLog({ level, stream, name }: LogOptions): Log {
  const options = {
    level,
    base: name === undefined ? {} : { name },
    timestamp: stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => presentable(fields) as Record<string, unknown>,
    },
    hooks: { streamWrite: hideUrlPasswords },
  };
  const logger = pino(options, (stream ?? destination({ fd: 2, sync: true })) as DestinationStream);
  return new EventLog(logger);
}

class EventLog implements Log {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  debug(event: string, fields?: object): void {
    if (this.#logger.isLevelEnabled("debug")) this.#logger.debug({ event, ...fields });
  }

  info(event: string, fields?: object): void {
    this.#logger.info({ event, ...fields });
  }

  warn(event: string, fields?: object): void {
    this.#logger.warn({ event, ...fields });
  }

  error(event: string, fields?: object): void {
    this.#logger.error({ event, ...fields });
  }

  child(fields: object): Log {
    return new EventLog(this.#logger.child(presentable(fields) as object));
  }
}

interface DescribedError {
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

/** A copy without secrets, with errors described. Pino's own redaction does this too, at more than four times the cost per line. */
function presentable(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describe(value);
  if (depth >= DEPTH_MAX) return "[deeper]";
  if (Array.isArray(value)) return value.map((item) => presentable(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [field, member] of Object.entries(value))
    copy[field] = SECRET_FIELDS.has(field.toLowerCase()) ? "[hidden]" : presentable(member, depth + 1);
  return copy;
}

function describe(error: Error, depth = 1): DescribedError {
  const code = (error as { code?: unknown }).code;
  return {
    message: error.message,
    ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause instanceof Error && depth < CAUSES_MAX ? { cause: describe(error.cause, depth + 1) } : {}),
  };
}

function hideUrlPasswords(line: string): string {
  return line.includes("://") ? line.replace(/(:\/\/[^\s:/@"\\]*:)[^\s/"\\]+@/g, "$1[hidden]@") : line;
}
