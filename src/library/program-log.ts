import { createLog, type Log } from "../telemetry/log.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** Where the program wants to hear of what Punctual does: `console` will do. Events are names such as `node.joined`. */
export interface ProgramLog {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}

export function logOf(given: (typeof LOG_LEVELS)[number] | ProgramLog): Log {
  return typeof given === "string" ? createLog({ level: given }) : forwarding(given, {});
}

function forwarding(log: ProgramLog, always: object): Log {
  return {
    debug: (event, fields) => log.debug(event, { ...always, ...fields }),
    info: (event, fields) => log.info(event, { ...always, ...fields }),
    warn: (event, fields) => log.warn(event, { ...always, ...fields }),
    error: (event, fields) => log.error(event, { ...always, ...fields }),
    child: (fields) => forwarding(log, { ...always, ...fields }),
  };
}
