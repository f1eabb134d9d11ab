import pg from "pg";
import { type ConstructorOptions, PgBoss, type WorkOptions } from "pg-boss";
import type { Contestant, Place } from "../contestants/contestant.ts";

export interface PgBossSettings {
  boss?: ConstructorOptions;
  /** A table of its own for the queue. */
  partition?: boolean;
  /** Of every job, for those that fail: they are told apart within a batch then. */
  retryLimit?: number;
  work: WorkOptions;
}

const QUEUE = "work";
const PER_CALL = 5_000;

export async function open({ databaseUrl }: Place, settings: PgBossSettings): Promise<Contestant> {
  const { retryLimit } = settings;
  const boss = new PgBoss({ connectionString: databaseUrl, ...settings.boss });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE, { partition: settings.partition ?? false });
  const look = new pg.Client({ connectionString: databaseUrl });
  await look.connect();
  const count = async (condition: string) =>
    Number(
      (await look.query(`select count(*) from pgboss.job where name = '${QUEUE}' and ${condition}`)).rows[0].count,
    );
  return {
    lay: async (items) => {
      for (let from = 0; from < items.length; from += PER_CALL)
        await boss.insert(
          QUEUE,
          items.slice(from, from + PER_CALL).map(({ id, at, urgency }) => ({
            data: { id },
            ...(retryLimit === undefined ? {} : { retryLimit, retryDelay: 0 }),
            ...(urgency === undefined ? {} : { priority: urgency }),
            ...(at === undefined ? {} : { startAfter: new Date(at) }),
          })),
        );
    },
    work: async (handle) => {
      if (retryLimit !== undefined) {
        const options = { ...settings.work, perJobResults: true } as const;
        await boss.work<{ id: number }>(QUEUE, options, async (jobs) => {
          const ends = await Promise.allSettled(jobs.map(async ({ data }) => await handle(data.id)));
          return jobs.map(
            ({ id }, at) => ({ id, status: ends[at]!.status === "fulfilled" ? "completed" : "failed" }) as const,
          );
        });
        return;
      }
      await boss.work<{ id: number }>(QUEUE, settings.work, async (jobs) => {
        // All of a batch at once; they are completed together when the last has ended.
        await Promise.all(jobs.map(async ({ data }) => await handle(data.id)));
      });
    },
    unfinished: () => count("state < 'completed'"),
    remembered: () => count("state = 'completed'"),
    close: async () => {
      await boss.stop({ graceful: true, timeout: 5_000 });
      await look.end();
    },
  };
}
