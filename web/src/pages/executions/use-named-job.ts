import { useQuery } from "@tanstack/react-query";
import { PunctualApiError } from "punctual/client";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";

/** Addresses name a job by name or id; the server filters by id. Naming none is fine too. */
export function useNamedJob(nameOrId: string | undefined) {
  const client = useClient();
  const { data, error, isPlaceholderData } = useQuery({
    ...reads.job(client, nameOrId ?? ""),
    enabled: nameOrId !== undefined,
  });
  const job = nameOrId === undefined || isPlaceholderData ? undefined : data;
  return {
    job,
    isKnown: nameOrId === undefined || job !== undefined,
    isUnknown: nameOrId !== undefined && error instanceof PunctualApiError && error.status === 404,
  };
}
