import { createHash } from "node:crypto";
import { PunctualError } from "../contract/errors.ts";
import type { OnceResult } from "../store/port/once.ts";
import type { Store } from "../store/port.ts";
import type { Answer } from "./route.ts";

export interface KeyedRequest {
  projectId: string;
  key: string;
  fingerprint: Buffer;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Null without the header. Two requests are the same if method, path and body are, however the body was spaced and ordered. */
export function keyedRequest(
  projectId: string,
  header: string | string[] | undefined,
  request: { method: string; url: string; body: unknown },
): KeyedRequest | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || !KEY.test(header)) {
    const problem = { path: "idempotency-key", code: "invalid", message: "must be 1 to 255 visible ASCII characters" };
    throw PunctualError.validation([problem]);
  }
  const text = `${request.method} ${request.url}\n${JSON.stringify(sorted(request.body)) ?? ""}`;
  return { projectId, key: header, fingerprint: createHash("sha256").update(text).digest() };
}

/** Runs the work once per key, and gives the first answer again to the same request. */
export async function answerOnce(
  store: Store,
  request: KeyedRequest,
  work: (store: Store) => Promise<Answer>,
): Promise<Answer> {
  return toAnswer(
    request,
    await store.once<Answer & { body: unknown }>(request, async (inside) => ({
      body: undefined,
      ...(await work(inside)),
    })),
  );
}

export function toAnswer(request: KeyedRequest, result: OnceResult<Answer>): Answer {
  if (result.kind === "reused")
    throw new PunctualError(
      "idempotency_key_reused",
      `the idempotency key "${request.key}" was used before for another request`,
    );
  if (result.kind === "in_progress")
    throw new PunctualError(
      "request_in_progress",
      `a request with the idempotency key "${request.key}" is being worked on; ask again`,
    );
  if (result.kind === "fresh") return result.answer;
  return { ...result.answer, headers: { ...result.answer.headers, "idempotent-replayed": "true" } };
}

class NotSeen extends Error {}

/**
 * For effects outside the store: looks whether there is an answer, then works without a transaction, then keeps the
 * answer. Two at the same time may both work; both get the answer that was kept first.
 */
export async function answerOutside(
  store: Store,
  request: KeyedRequest,
  work: (store: Store) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await answerOnce(store, request, () => {
      throw new NotSeen();
    });
  } catch (error) {
    if (!(error instanceof NotSeen)) throw error;
  }
  const answer = await work(store);
  return await answerOnce(store, request, async () => answer);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
