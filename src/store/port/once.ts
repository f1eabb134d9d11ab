/** The answer to a request with an idempotency key, as it is kept. */
export interface RememberedAnswer {
  status: number;
  body: unknown;
}

/** Of a key that is known: the answer of then, or why there is none. */
export type EarlierResult<T> = { kind: "replayed"; answer: T } | { kind: "reused" } | { kind: "in_progress" };

export type OnceResult<T> = { kind: "fresh"; answer: T } | EarlierResult<T>;
