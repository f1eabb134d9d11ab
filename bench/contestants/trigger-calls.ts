// A caller of the API, in a process of its own.

import { PunctualClient } from "../support/product.ts";

export interface Calls {
  url: string;
  key: string;
  /** Named by tokens, which have none of their own. */
  project?: string;
  job: string;
  count: number;
  /** Requests under way at once. */
  atOnce: number;
  /** 1: the route of the job, one by one. */
  perRequest: number;
}

/** Milliseconds until all were acknowledged. */
export async function trigger({ url, key, project, job, count, atOnce, perRequest }: Calls): Promise<number> {
  const client = new PunctualClient({ url, key, ...(project === undefined ? {} : { project }) });
  let next = 0;
  const one = async () => {
    while (next < count) {
      const payload = { id: next++ };
      await client.jobs.trigger(job, { payload });
    }
  };
  const many = async () => {
    while (next < count) {
      const from = next;
      next += perRequest;
      await client.triggers.create(
        Array.from({ length: Math.min(perRequest, count - from) }, (_, at) => ({ job, payload: { id: from + at } })),
      );
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, perRequest === 1 ? one : many));
  return performance.now() - startedAt;
}
