import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Page } from "punctual/client";
import type { Read } from "../../api/reads.ts";
import { useRefresh } from "../../app/refresh.ts";

/** Heartbeats and figures of a node make no events: they are asked for. */
const PACE_MS = 5_000;

/** Something that changes without saying so. */
export function useReading<T>(read: Read<T>): UseQueryResult<T> {
  return useQuery({ ...read, refetchInterval: useRefresh(PACE_MS) });
}

/** The same of a list. */
export function useListReading<Row>(read: Read<Page<Row>>): UseQueryResult<Row[]> {
  return useQuery({ ...read, refetchInterval: useRefresh(PACE_MS), select: ({ items }) => items });
}
