import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Page } from "punctual/client";
import type { Kind } from "../../api/queries.ts";
import { useLiveState } from "../../app/live-status.tsx";

/** Heartbeats and figures of a node make no events: they are asked for, unless the page is to hold still. */
const PACE_MS = 5_000;

type Key = readonly [kind: Kind, what: string];
type Read<T> = (options: { signal: AbortSignal }) => Promise<T>;

/** Something that changes without saying so. What is kept is the answer as it came: other pages keep it under the same key. */
export function useReading<T>(key: Key, read: Read<T>): UseQueryResult<T> {
  return useQuery(useOptions(key, read));
}

/** The same of a list. */
export function useListReading<Row>(key: Key, read: Read<Page<Row>>): UseQueryResult<Row[]> {
  return useQuery({ ...useOptions(key, read), select: ({ items }) => items });
}

function useOptions<T>(key: Key, read: Read<T>) {
  const isPaused = useLiveState() === "paused";
  return {
    queryKey: key,
    queryFn: ({ signal }: { signal: AbortSignal }) => read({ signal }),
    refetchInterval: isPaused ? (false as const) : PACE_MS,
  };
}
