import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { DeadLetter, DeadLetterGroup, DeadLetterStatus } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { useStableOrder } from "./stable-order.ts";

/** The most that the server tells at once. */
export const GROUPS_MAX = 200;

export function useGroups(status: DeadLetterStatus, jobId: string | undefined, enabled: boolean) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["dead-letters", "groups", status, jobId],
    queryFn: ({ signal }) =>
      client.deadLetters.groups({ status, limit: GROUPS_MAX, ...(jobId ? { jobId } : {}) }, { signal }),
    enabled,
  });
  const groups = useStableOrder(query.data?.items ?? [], ({ group }) => group, `${status} ${jobId ?? ""}`);
  return { ...query, groups };
}

/** Those of one group, newest first. They hold still while they are looked at; the group's own count goes on. */
export function useLetters(status: DeadLetterStatus, group: string | undefined) {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ["letters of a group", status, group],
    queryFn: ({ pageParam, signal }) =>
      client.deadLetters.list({ status, group: group!, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: group !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const letters = query.isPlaceholderData ? [] : (query.data?.pages.flatMap(({ items }) => items) ?? []);
  return { ...query, letters };
}

/** A line of the table: a group, or one of those of the group that is open. */
export type Row =
  | { kind: "group"; group: DeadLetterGroup; isOpen: boolean }
  | { kind: "letter"; letter: DeadLetter }
  | { kind: "more"; text: string; act: (() => void) | null };

export function rowId(row: Row): string {
  if (row.kind === "group") return row.group.group;
  return row.kind === "letter" ? row.letter.id : "more";
}
