import { UsageError } from "../usage-error.ts";

/** What imported jobs are to call. */
export type ImportTarget =
  | { kind: "shell" }
  /** `{name}` in the address stands for the job's name. */
  | { kind: "http"; url: string }
  | { kind: "worker"; prefix: string };

export interface MadeTarget {
  target: Record<string, unknown>;
  notes: string[];
  decisions: string[];
}

export interface TargetFlags {
  target?: string;
  handler?: string | true;
}

export function importTargetOf({ target, handler }: TargetFlags): ImportTarget {
  if (target !== undefined && handler !== undefined)
    throw new UsageError("--target and --handler are two answers to one question: give one of them");
  if (handler !== undefined) return { kind: "worker", prefix: handler === true ? "" : handler };
  if (target === undefined) return { kind: "shell" };
  if (!/^https?:\/\/[^/{]+(\/|$)/.test(target))
    throw new UsageError(`--target "${target}" is no address: write it as https://host/cron/{name}`);
  return { kind: "http", url: target };
}

/** The same target for every job, or what the job's own command becomes. */
export function targetFor(target: ImportTarget, name: string, ofCommand: () => MadeTarget): MadeTarget {
  if (target.kind === "shell") return ofCommand();
  const made =
    target.kind === "http"
      ? { type: "http", url: target.url.replaceAll("{name}", encodeURIComponent(name)) }
      : { type: "worker", handler: `${target.prefix}${name}` };
  return { target: made, notes: [], decisions: [] };
}
