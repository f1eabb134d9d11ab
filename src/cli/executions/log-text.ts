import type { LogLevel, LogLine } from "../../contract/log.ts";
import type { Tone } from "../output/colour.ts";
import type { Output } from "../output/output.ts";
import { harmless } from "../output/text.ts";

const TONES: Readonly<Record<LogLevel, Tone | null>> = { debug: "faint", info: null, warn: "doubtful", error: "bad" };

/** A line of an execution's log: the time of day on a terminal, the whole instant elsewhere. */
export function logText({ at, level, message, fields }: LogLine, out: Output): string {
  const time = out.terminal ? at.slice(11, 23) : at;
  const tone = TONES[level] ?? null;
  const word = level.padEnd(5);
  const extra = fields === null || Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  const text = `${harmless(message)}${out.paint("faint", harmless(extra))}`;
  return `${out.paint("faint", time)} ${tone === null ? word : out.paint(tone, word)} ${text}`;
}
