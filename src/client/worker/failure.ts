// What a handler threw, as the ledger keeps it. Anything can be thrown, and none of it may get in the way of the settling:
// texts are cut and cleaned, odd objects and getters that throw are survived.

import type { HandlerError } from "../../contract/worker.ts";
import { storableText } from "./storable.ts";

const CODE_MAX = 128;
const MESSAGE_MAX = 8_192;
const STACK_MAX = 16_384;
const CAUSE_MAX = 8_192;
const CAUSES_MAX = 8;

export function describeFailure(thrown: unknown): HandlerError {
  try {
    if (thrown instanceof Error) return describeError(thrown);
    return { code: "thrown", message: storableText(`the handler threw ${shown(thrown)}`, MESSAGE_MAX) };
  } catch {
    return { code: "thrown", message: "the handler threw something that cannot be shown" };
  }
}

function describeError(error: Error): HandlerError {
  const message = storableText(messageOf(error), MESSAGE_MAX) || "the handler threw an error without a message";
  const cause = causesOf(error).join("\n");
  return {
    code: storableText(codeOf(error), CODE_MAX),
    message,
    ...(typeof error.stack === "string" ? { stack: storableText(error.stack, STACK_MAX) } : {}),
    ...(cause === "" ? {} : { cause: storableText(cause, CAUSE_MAX) }),
  };
}

/** Several in one often have no message of their own, as when all addresses of a host refuse the connection. */
function messageOf(error: Error): string {
  return error.message || severalIn(error).map(messageIn).find(Boolean) || "";
}

function messageIn(one: unknown): string {
  return one instanceof Error ? one.message : shown(one);
}

function severalIn(error: unknown): unknown[] {
  return error instanceof AggregateError ? error.errors.slice(0, CAUSES_MAX) : [];
}

/** Systems and libraries put the telling word into `code` (ECONNREFUSED, 23505); else the class of the error groups best. */
function codeOf(error: Error): string {
  const code = (error as { code?: unknown }).code;
  return (typeof code === "string" && code) || error.name || "Error";
}

/** One line each: those that are several in one, then what led to it, outermost first. */
function causesOf(error: Error): string[] {
  const lines = severalIn(error).map(causeLine);
  for (let cause = error.cause; cause !== undefined && cause !== null; cause = (cause as Error).cause) {
    if (lines.length >= CAUSES_MAX) return [...lines, "…"];
    lines.push(causeLine(cause));
    if (!(cause instanceof Error)) break;
  }
  return lines;
}

function causeLine(cause: unknown): string {
  if (!(cause instanceof Error)) return shown(cause);
  const several = severalIn(cause).map(causeLine);
  const code = codeOf(cause);
  return `${cause.name}${code === cause.name ? "" : ` [${code}]`}: ${[cause.message, ...several].filter(Boolean).join("; ")}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  return (typeof value === "object" && value !== null && JSON.stringify(value)) || String(value);
}
