// How a call gets to the server and back. Promised: a call that cannot harm when it is made twice is made again after a
// failure that may pass (no answer, 429, 502, 503, 504), a bounded number of times, each time a little later; any other call
// is made once, and again only if it was turned away unread (429). Not promised: that a call without an answer had no effect.

import { readJson, readStream, refusal } from "./answer.ts";
import { backoffMs, pause } from "./backoff.ts";
import { Deadline } from "./deadline.ts";
import { PunctualApiError, PunctualConnectionError } from "./errors.ts";
import { queryText } from "./query.ts";
import { hidesAnswer, isGone, isRepeatable, mayPass, wasNotLookedAt, withIdempotencyKey } from "./repetition.ts";
import { apiKey, serverUrl } from "./server-address.ts";

const RETRIES_DEFAULT = 3;
const TIMEOUT_MS_DEFAULT = 30_000;
/** A server that wants a longer pause is not waited for; the error says how long it asked for. */
const RETRY_AFTER_MS_MAX = 60_000;
const PREFIX = "/api/v1";

export interface ClientOptions {
  /** Where the server is, such as `https://punctual.example.com`. Default: `PUNCTUAL_URL`; in a browser, where the page is from. */
  url?: string | undefined;
  /** The API key. Default: `PUNCTUAL_API_KEY`. A page of the server's own needs none: whoever is signed in calls. */
  key?: string | undefined;
  /** The project's id or name, for those who may act in several, as people may. */
  project?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a call is made again that failed for a reason that may pass. Default: 3 times. */
  retries?: number | undefined;
  /** How long one try may take. Default: 30 seconds. */
  timeoutMs?: number | undefined;
}

/** What every method takes as its last argument. */
export interface CallOptions {
  /** Ends the call, also while it waits for its next try. */
  signal?: AbortSignal | undefined;
  retries?: number | undefined;
  timeoutMs?: number | undefined;
  /** Of a POST: the same key again gets the first answer, for 24 hours. Default: one of its own for each call. */
  idempotencyKey?: string | undefined;
}

export interface ApiCall {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the prefix, or from the root if it begins with two slashes. */
  path: string;
  query?: object | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** Whether a second time does no harm, where method and headers do not tell. */
  repeatable?: boolean | undefined;
  /** Statuses that are answers and not failures, beside those of success. */
  accepts?: readonly number[] | undefined;
  options?: CallOptions | undefined;
}

export interface ApiAnswer<T> {
  status: number;
  body: T;
}

export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #credentials: Pick<RequestInit, "credentials">;
  readonly #fetch: typeof globalThis.fetch;
  readonly #retries: number;
  readonly #timeoutMs: number;

  constructor(options: ClientOptions = {}) {
    this.#base = serverUrl(options.url);
    const key = apiKey(options.key);
    this.#headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(options.project === undefined ? {} : { "punctual-project": options.project }),
    };
    // The session's cookie goes to the page's own server only. Not said beside a key: not every fetch knows the word.
    this.#credentials = key === null ? { credentials: "same-origin" } : {};
    // Looked up at each call and called as a function: browsers refuse fetch as a method of something else.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#retries = options.retries ?? RETRIES_DEFAULT;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS_DEFAULT;
  }

  /** The answer's body. */
  async json<T>(call: ApiCall): Promise<T> {
    return (await this.send<T>(call)).body;
  }

  /** The answer's status and body, which is undefined where nothing is answered. */
  async send<T>(call: ApiCall): Promise<ApiAnswer<T>> {
    return await this.#tried(call, async (response) => ({
      status: response.status,
      body: (await readJson(called(call), response)) as T,
    }));
  }

  async text(call: ApiCall): Promise<string> {
    return await this.#tried(call, (response) => response.text());
  }

  /** Server-sent events, still to be read: only their head is bound to come in time. */
  async events(call: ApiCall): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(call, "text/event-stream");
  }

  /** The same for JSON values, one a line. */
  async lines(call: ApiCall): Promise<ReadableStream<Uint8Array>> {
    return await this.#stream(call, "application/x-ndjson");
  }

  async #stream(call: ApiCall, type: string): Promise<ReadableStream<Uint8Array>> {
    const headers = { ...call.headers, accept: type };
    return await this.#tried({ ...call, headers }, (response) => readStream(called(call), type, response));
  }

  async #tried<T>(call: ApiCall, read: (response: Response) => Promise<T>): Promise<T> {
    const retries = call.options?.retries ?? this.#retries;
    const request = withIdempotencyKey(call, retries);
    let mayBeDone = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#try(request, read);
      } catch (error) {
        if (mayBeDone && isGone(request, error)) return await read(new Response(null, { status: 204 }));
        // Written so that what is no number means none.
        const harmless = isRepeatable(request) || wasNotLookedAt(error);
        if (!(tries <= retries) || !harmless || !mayPass(error)) throw error;
        const retryAfterMs = error instanceof PunctualApiError ? error.retryAfterMs : null;
        if (retryAfterMs !== null && retryAfterMs > RETRY_AFTER_MS_MAX) throw error;
        mayBeDone ||= hidesAnswer(error);
        await pause(backoffMs(tries, retryAfterMs), call.options?.signal);
      }
    }
  }

  async #try<T>(call: ApiCall, read: (response: Response) => Promise<T>): Promise<T> {
    refuseOddPath(call);
    const url = this.#url(call);
    const init = this.#init(call);
    const timeoutMs = call.options?.timeoutMs ?? this.#timeoutMs;
    const deadline = new Deadline(timeoutMs, call.options?.signal);
    try {
      const response = await this.#fetch(url, { ...init, signal: deadline.signal });
      if (!response.ok && !call.accepts?.includes(response.status)) throw await refusal(called(call), response);
      return await read(response);
    } catch (error) {
      if (call.options?.signal?.aborted) throw call.options.signal.reason;
      if (error instanceof PunctualApiError) throw error;
      const problem = deadline.passed ? `none came within ${timeoutMs} ms` : describe(error);
      throw new PunctualConnectionError(`${call.method} ${url}`, problem, { cause: error });
    } finally {
      deadline.clear();
    }
  }

  #url({ path, query }: ApiCall): string {
    return `${this.#base}${fromRoot(path)}${query === undefined ? "" : queryText(query)}`;
  }

  #init({ method, body, headers }: ApiCall): RequestInit {
    const content = body === undefined ? {} : { "content-type": "application/json" };
    return {
      method,
      headers: { accept: "application/json", ...content, ...this.#headers, ...headers },
      // Followed, a redirected POST would become a GET, and its answer that of another route.
      redirect: "manual",
      ...this.#credentials,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }
}

function fromRoot(path: string): string {
  return path.startsWith("//") ? path.slice(1) : `${PREFIX}${path}`;
}

function called({ method, path }: ApiCall): string {
  return `${method} ${fromRoot(path)}`;
}

/** Without its id, or with dots in its place, a path would lead to something else: to the list, or to what is above it. */
function refuseOddPath(call: ApiCall): void {
  const [, ...segments] = fromRoot(call.path).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new TypeError(`${called(call)} has an id that is none: it must not be empty, "." or ".."`);
}

/** fetch says "fetch failed"; what failed is in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const { code } = cause as { code?: unknown };
  return cause.message === "" ? String(code ?? error.message) : cause.message;
}
