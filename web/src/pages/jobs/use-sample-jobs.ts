import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { PunctualClient } from "punctual/client";
import { readAgain } from "../../api/queries.ts";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";
import { SAMPLE_SOURCE, sampleJobs } from "./sample-job-list.ts";

/** Whether there are sample jobs, what they would call, and the way to have or to lose them. */
export function useSampleJobs() {
  const client = useClient();
  const queries = useQueryClient();
  const present = useQuery({
    queryKey: ["jobs", "samples"],
    queryFn: ({ signal }) => client.jobs.list({ source: SAMPLE_SOURCE, limit: 1 }, { signal }),
    select: ({ items }) => items.length > 0,
  });
  // It is a setting of the server: it is asked once.
  const echo = useQuery({
    ...reads.health(client),
    select: ({ echoUrl }) => echoUrl,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const onSettled = () => {
    readAgain(queries, "jobs", "timeline", "stats", "dead-letters");
  };
  const load = useMutation({
    mutationFn: (echoUrl: string) => loadSamples(client, echoUrl),
    onSuccess: (count) => tell(`${count} sample jobs are there. They run from now on.`),
    onError: (error) => tellFailure("Not all sample jobs could be made", error),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => removeSamples(client),
    onSuccess: (count) => tell(`${count} sample jobs were removed. Their executions are kept.`),
    onError: (error) => tellFailure("Not all sample jobs could be removed", error),
    onSettled,
  });
  return { present: present.data, echo, load, remove };
}

/** A job of the same name that somebody made is not touched: the server refuses to write over it. */
async function loadSamples(client: PunctualClient, echoUrl: string): Promise<number> {
  const samples = sampleJobs(echoUrl);
  for (const { name, job, pausedFor } of samples) {
    const { id, pause } = await client.jobs.put(name, job, { source: SAMPLE_SOURCE });
    if (pausedFor !== undefined && pause === null) await client.jobs.pause(id, { reason: pausedFor });
  }
  return samples.length;
}

/** Also what they left among the dead letters, which nobody has to look after. */
async function removeSamples(client: PunctualClient): Promise<number> {
  let removed = 0;
  for await (const { id } of client.jobs.all({ source: SAMPLE_SOURCE })) {
    await client.jobs.delete(id, { source: SAMPLE_SOURCE });
    await client.deadLetters.discard({ filter: { jobId: [id] } });
    removed += 1;
  }
  return removed;
}
