import type { Problem } from "../contract/errors.ts";
import { PunctualApiError } from "./errors.ts";

/** The body as JSON; undefined where nothing is answered. */
export async function readJson(call: string, response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  const body = isOf("application/json", response) ? parsed(text) : undefined;
  if (body === undefined) throw unexpected(call, response, text);
  return body;
}

/** The stream that was asked for, still to be read. */
export async function readStream(call: string, type: string, response: Response): Promise<ReadableStream<Uint8Array>> {
  if (response.body === null || !isOf(type, response)) throw unexpected(call, response, await response.text());
  return response.body;
}

/** What the server says is wrong. */
export async function refusal(call: string, response: Response): Promise<PunctualApiError> {
  const text = await response.text();
  const error = isOf("application/json", response) ? errorIn(parsed(text)) : null;
  if (error === null) return unexpected(call, response, text);
  return new PunctualApiError(call, {
    status: response.status,
    code: error.code,
    reason: error.message ?? "",
    details: error.details ?? [],
    requestId: error.requestId || response.headers.get("x-request-id"),
    retryAfterMs: retryAfterMs(response),
  });
}

/** Something between here and the server answered, or it is no Punctual server at all. */
function unexpected(call: string, response: Response, text: string): PunctualApiError {
  const location = response.headers.get("location");
  const start = text.trim().slice(0, 200);
  const said = location === null ? start : `it leads to ${location}; use that address, if it is a Punctual server`;
  const type = response.headers.get("content-type") ?? "no content type";
  return new PunctualApiError(call, {
    status: response.status,
    code: "unexpected_answer",
    reason: `this is not what a Punctual server answers (${type})${said === "" ? "" : `: ${said}`}`,
    details: [],
    requestId: response.headers.get("x-request-id"),
    retryAfterMs: retryAfterMs(response),
  });
}

function isOf(type: string, response: Response): boolean {
  return response.headers.get("content-type")?.startsWith(type) ?? false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface AnsweredError {
  code: string;
  message?: string;
  details?: Problem[];
  requestId?: string;
}

function errorIn(body: unknown): AnsweredError | null {
  const { error } = (body ?? {}) as { error?: Partial<AnsweredError> | null };
  return typeof error?.code === "string" ? (error as AnsweredError) : null;
}

/** Seconds or a date. */
function retryAfterMs(response: Response): number | null {
  const header = response.headers.get("retry-after");
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
