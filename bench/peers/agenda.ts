import { PostgresBackend } from "@agendajs/postgres-backend";
import { Agenda } from "agenda";
import pg from "pg";
import type { Contestant, Handle, Place } from "../contestants/contestant.ts";

export interface AgendaSettings {
  processEveryMs: number;
  concurrency: number;
  connections: number;
}

const JOB = "work";
/** It has no way to save many at once. */
const SAVES_AT_ONCE = 20;

export async function open({ databaseUrl }: Place, settings: AgendaSettings): Promise<Contestant> {
  const { processEveryMs, concurrency, connections } = settings;
  const agenda = new Agenda({
    backend: new PostgresBackend({ poolConfig: { connectionString: databaseUrl, max: connections } }),
    processEvery: processEveryMs,
    maxConcurrency: concurrency,
    defaultConcurrency: concurrency,
    removeOnComplete: true,
  });
  agenda.on("error", (error) => console.error(error));
  await agenda.ready;
  let handle: Handle = () => {};
  agenda.define(JOB, async (job: { attrs: { data: { id: number } } }) => await handle(job.attrs.data.id), {
    concurrency,
    lockLimit: 0,
  } as never);
  const look = new pg.Client({ connectionString: databaseUrl });
  await look.connect();
  return {
    lay: async (items) => {
      const rest = items.values();
      const save = async () => {
        for (const { id, at } of rest)
          await agenda
            .create(JOB, { id })
            .schedule(new Date(at ?? Date.now()))
            .save();
      };
      await Promise.all(Array.from({ length: SAVES_AT_ONCE }, save));
    },
    work: async (given) => {
      handle = given;
      await agenda.start();
    },
    unfinished: async () => Number((await look.query("select count(*) from agenda_jobs")).rows[0].count),
    remembered: async () => 0,
    close: async () => {
      await agenda.stop();
      await look.end();
    },
  };
}
