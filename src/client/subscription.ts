// A stream of server-sent events that is kept up: when it breaks, it is opened again after the last event that came.
// The first connection is an ordinary call, which fails if the server refuses; after that only the caller ends it, or the
// server by refusing for a reason that does not pass.

import { pause } from "./backoff.ts";
import { chunks } from "./chunks.ts";
import { PunctualApiError } from "./errors.ts";
import { EventParser, type ServerSentEvent } from "./server-sent-events.ts";
import type { ApiCall, Transport } from "./transport.ts";

/** How long to wait before coming back, unless the server says otherwise; longer each time that fails. */
const RECONNECT_MS = 1_000;
const RECONNECT_MS_MAX = 30_000;

export interface Subscription {
  path: string;
  query: object;
  /** Events after this id. */
  lastId: string | null;
  signal: AbortSignal | undefined;
  onConnection?: ((connected: boolean) => void) | undefined;
}

/** Goes on until the caller stops iterating or aborts the signal, which both simply end it. */
export async function* subscribe(
  transport: Transport,
  { path, query, lastId, signal, onConnection }: Subscription,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let last = lastId;
  let failures = 0;
  let retryMs = RECONNECT_MS;
  for (let connected = false; !signal?.aborted; ) {
    const parser = new EventParser();
    try {
      const stream = await transport.events(streamCall(path, query, last, signal, connected));
      connected = true;
      onConnection?.(true);
      for await (const bytes of chunks(stream, path, signal)) {
        failures = 0;
        for (const event of parser.push(bytes)) {
          if (event.id !== "") last = event.id;
          yield event;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!connected || !breaks(error)) throw error;
    }
    if (connected) onConnection?.(false);
    failures += 1;
    retryMs = parser.retryMs ?? retryMs;
    await pause(Math.random() * Math.min(RECONNECT_MS_MAX, retryMs * 2 ** (failures - 1)), signal).catch(() => {});
  }
}

function streamCall(
  path: string,
  query: object,
  lastId: string | null,
  signal: AbortSignal | undefined,
  connected: boolean,
): ApiCall {
  return {
    method: "GET",
    path,
    query,
    headers: lastId === null ? {} : { "last-event-id": lastId },
    // Once it was connected, the loop above decides when to try again.
    options: { signal, ...(connected ? { retries: 0 } : {}) },
  };
}

/** Whether it is worth coming back. */
function breaks(error: unknown): boolean {
  return !(error instanceof PunctualApiError) || error.status >= 500 || error.status === 429;
}
