// BullMQ, on Redis or on PostgreSQL: the same interface, two storages.

import { createPostgresBackend, type JobsOptions, Queue, Worker } from "bullmq";
import type { Contestant, Handle, Place } from "../contestants/contestant.ts";
import { URGENCY_MAX } from "../contestants/mix.ts";

export interface BullMqSettings {
  storage: "redis" | "postgres";
  /** Workers in the process, each with connections of its own. */
  workers: number;
  /** Of each worker. */
  concurrency: number;
  /** Connections of each worker; PostgreSQL only. */
  connections?: number;
  job?: JobsOptions;
}

const QUEUE = "work";
const PER_CALL = 2_000;

interface Parts {
  queue: Queue;
  worker(handle: Handle): Worker;
}

export async function open(place: Place, settings: BullMqSettings): Promise<Contestant> {
  const { queue, worker } = settings.storage === "redis" ? onRedis(place, settings) : onPostgres(place, settings);
  await queue.waitUntilReady();
  const workers: Worker[] = [];
  return {
    lay: async (items) => {
      for (let from = 0; from < items.length; from += PER_CALL) {
        const now = Date.now();
        await queue.addBulk(
          items.slice(from, from + PER_CALL).map(({ id, at, urgency }) => ({
            name: "work",
            data: { id },
            opts: {
              ...settings.job,
              ...(at === undefined ? {} : { delay: Math.max(0, at - now) }),
              ...(urgency === undefined ? {} : { priority: 1 + URGENCY_MAX - urgency }),
            },
          })),
        );
      }
    },
    work: async (handle) => {
      for (let made = 0; made < settings.workers; made++) workers.push(worker(handle));
      await Promise.all(workers.map((each) => each.waitUntilReady()));
    },
    unfinished: async () => {
      const counts = await queue.getJobCounts("wait", "active", "delayed", "prioritized", "waiting-children");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    remembered: () => queue.getCompletedCount(),
    close: async () => {
      await Promise.all(workers.map((each) => each.close()));
      await queue.close();
    },
  };
}

function onRedis({ redisUrl }: Place, { concurrency }: BullMqSettings): Parts {
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  return {
    queue: new Queue(QUEUE, { connection }),
    worker: (handle) => noisy(new Worker(QUEUE, async (job) => await handle(job.data.id), { connection, concurrency })),
  };
}

function onPostgres({ databaseUrl }: Place, { concurrency, connections = 10 }: BullMqSettings): Parts {
  const connection = { connectionString: databaseUrl, max: connections, migrate: true };
  return {
    queue: new Queue(QUEUE, { connection }, createPostgresBackend) as unknown as Queue,
    worker: (handle) =>
      noisy(
        new Worker(
          QUEUE,
          async (job) => await handle(job.data.id),
          { connection, concurrency },
          createPostgresBackend,
        ) as unknown as Worker,
      ),
  };
}

function noisy(worker: Worker): Worker {
  return worker.on("error", (error) => console.error(error));
}
