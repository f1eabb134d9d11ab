// What is read, under which key, and how soon it is read again. A key begins with what kind of thing it tells of, so that an
// event about that kind makes exactly those be read again.

import { keepPreviousData, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { PunctualApiError, type StreamedEvent } from "punctual/client";
import type { Batch } from "./live.ts";

/** What a query tells of. Each is read again at most once in its pace while events come in. */
export const KINDS = [
  "jobs",
  "job",
  "executions",
  "execution",
  "stats",
  "timeline",
  "dead-letters",
  "workers",
  "nodes",
  "settings",
] as const;
export type Kind = (typeof KINDS)[number];

const PACE_MS: Record<Kind, number> = {
  execution: 500,
  executions: 1_000,
  job: 1_000,
  jobs: 2_000,
  "dead-letters": 2_000,
  workers: 2_000,
  nodes: 2_000,
  stats: 3_000,
  timeline: 5_000,
  settings: 5_000,
};

/** `onUnknown` is called when the server does not know the session any more. */
export function createQueries(onUnknown: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof PunctualApiError && error.status === 401) onUnknown();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // The client tries again by itself, and the live stream says when there is something new.
        retry: false,
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        placeholderData: keepPreviousData,
      },
    },
  });
}

/** After a change of one's own, without waiting for its event. */
export function readAgain(queries: QueryClient, ...kinds: readonly Kind[]): void {
  for (const kind of kinds) void queries.invalidateQueries({ queryKey: [kind] });
}

/** Which kinds a batch of events concerns. */
export function concerned({ reset, events }: Batch): Set<Kind> {
  if (reset) return new Set(KINDS);
  const kinds = new Set<Kind>();
  for (const event of events) for (const kind of kindsOf(event)) kinds.add(kind);
  return kinds;
}

function kindsOf({ type }: StreamedEvent): readonly Kind[] {
  const [about] = type.split(".");
  if (about === "job") return ["jobs", "job", "timeline"];
  if (about === "worker") return ["workers"];
  if (about === "node") return ["nodes", "stats"];
  const ended = type === "execution.failed" || type === "execution.unknown";
  return ["executions", "execution", "jobs", "job", "stats", "timeline", ...(ended ? (["dead-letters"] as const) : [])];
}

/** Reads again what events concern: at once if it has not been for a while, else when its pace allows. */
export class Refresher {
  readonly #queries: QueryClient;
  readonly #last = new Map<Kind, number>();
  readonly #timers = new Map<Kind, ReturnType<typeof setTimeout>>();

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  readonly take = (batch: Batch): void => {
    for (const kind of concerned(batch)) this.#soon(kind);
  };

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #soon(kind: Kind): void {
    if (this.#timers.has(kind)) return;
    const wait = Math.max(0, (this.#last.get(kind) ?? 0) + PACE_MS[kind] - Date.now());
    const timer = setTimeout(() => {
      this.#timers.delete(kind);
      this.#last.set(kind, Date.now());
      void this.#queries.invalidateQueries({ queryKey: [kind] });
    }, wait);
    this.#timers.set(kind, timer);
  }
}
