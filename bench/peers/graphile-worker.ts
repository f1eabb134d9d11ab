import { Logger, makeWorkerUtils, type Runner, run, WorkerPreset } from "graphile-worker";
import type { Contestant, Place } from "../contestants/contestant.ts";

/** `maxAttempts` is of every job. */
export type GraphileWorkerSettings = { maxAttempts?: number } & Pick<
  GraphileConfig.WorkerOptions,
  "concurrentJobs" | "maxPoolSize" | "pollInterval" | "localQueue" | "completeJobBatchDelay" | "failJobBatchDelay"
>;

const TASK = "work";
const PER_CALL = 10_000;

export async function open(
  { databaseUrl }: Place,
  { maxAttempts, ...settings }: GraphileWorkerSettings,
): Promise<Contestant> {
  const logger = new Logger(() => () => {});
  const worker = { connectionString: databaseUrl, logger, ...settings };
  const preset: GraphileConfig.Preset = { extends: [WorkerPreset], worker };
  const utils = await makeWorkerUtils({ preset });
  await utils.migrate();
  let runner: Runner | null = null;
  const count = async (condition: string) =>
    await utils.withPgClient(async (client) => {
      const { rows } = await client.query<{ count: string }>(
        `select count(*) from graphile_worker._private_jobs ${condition}`,
      );
      return Number(rows[0]!.count);
    });
  return {
    lay: async (items) => {
      for (let from = 0; from < items.length; from += PER_CALL)
        await utils.addJobs(
          items.slice(from, from + PER_CALL).map(({ id, at, urgency }) => ({
            identifier: TASK,
            payload: { id },
            ...(maxAttempts === undefined ? {} : { maxAttempts }),
            ...(urgency === undefined ? {} : { priority: -urgency }),
            ...(at === undefined ? {} : { runAt: new Date(at) }),
          })),
        );
    },
    work: async (handle) => {
      const task = async (payload: unknown) => await handle((payload as { id: number }).id);
      runner = await run({ preset, taskList: { [TASK]: task }, noHandleSignals: true, crontab: "" });
    },
    unfinished: () => count("where attempts < max_attempts"),
    // What is done is deleted.
    remembered: async () => 0,
    close: async () => {
      await runner?.stop();
      await utils.release();
    },
  };
}
