import { useQuery } from "@tanstack/react-query";
import type { Kind } from "../../api/queries.ts";
import { useLiveState } from "../../app/live-status.tsx";

/** Heartbeats and figures of a node make no events: they are asked for, unless the page is to hold still. */
const PACE_MS = 5_000;

/** Something that changes without saying so. */
export function useReading<T>(
  [kind, what]: readonly [kind: Kind, what: string],
  read: (options: { signal: AbortSignal }) => Promise<T>,
) {
  const isPaused = useLiveState() === "paused";
  return useQuery({
    queryKey: [kind, what],
    queryFn: ({ signal }) => read({ signal }),
    refetchInterval: isPaused ? false : PACE_MS,
  });
}
